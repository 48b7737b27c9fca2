import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly } from './progress.mjs';
import { digest, hasStamp, ROOT, writeStamp } from './stamp.mjs';

const CLIENT = 'src/platform/generated/prisma/client.ts';
/** Beside the client and not in it: the generator empties its own folder. */
const STAMP = 'src/platform/generated/.guildbook-client';

/** The typed database client, which is generated and not committed. */
export async function generateClient() {
  const inputs = digest(['prisma/schema.prisma', 'prisma.config.ts', 'node_modules/prisma/package.json']);
  if (existsSync(join(ROOT, CLIENT)) && hasStamp(STAMP, inputs)) return;
  const args = [join(ROOT, 'scripts/prisma.mjs'), 'generate'];
  await runQuietly('generating the database client', process.execPath, args, { cwd: ROOT });
  writeStamp(STAMP, inputs);
}
