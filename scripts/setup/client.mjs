import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly } from './progress.mjs';
import { digest, hasStamp, ROOT, writeStamp } from './stamp.mjs';

const CLIENT = 'src/platform/generated/prisma/client.ts';
/** Outside the client's folder, because the generator empties that folder. */
const STAMP = 'src/platform/generated/.guildbook-client';

/** Generates the typed database client, which is not committed. */
export async function generateClient() {
  const inputs = digest(['prisma/schema.prisma', 'prisma.config.ts', 'node_modules/prisma/package.json']);
  if (existsSync(join(ROOT, CLIENT)) && hasStamp(STAMP, inputs)) return;
  const args = [join(ROOT, 'scripts/prisma.mjs'), 'generate'];
  await runQuietly('generating the database client', process.execPath, args, { cwd: ROOT });
  writeStamp(STAMP, inputs);
}
