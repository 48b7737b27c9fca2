import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from './environment.js';

const Package = z.object({ version: z.string() });

/** The version in package.json. The command line, the API document and the MCP server all report this one. */
export const VERSION = Package.parse(JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8'))).version;
