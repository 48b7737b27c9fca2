import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../src/platform/config/config.js';

/** After every migration of the program. */
const MIGRATION = '99991231235959_next_version';

/**
 * What a migration may do while the version before it still runs: adds a table, an index, and a column without a rule for
 * what old processes write, in the tables that each request writes.
 */
const ADDITIONS = `
ALTER TABLE "execution" ADD COLUMN "next_version" TEXT;
ALTER TABLE "memory" ADD COLUMN "next_version" TEXT;
ALTER TABLE "proposal" ADD COLUMN "next_version" TEXT NOT NULL DEFAULT '';
ALTER TABLE "publication" ADD COLUMN "next_version" TEXT;
ALTER TABLE "analysis_payload" ADD COLUMN "next_version" TEXT;
ALTER TABLE "credential" ADD COLUMN "next_version" TEXT;
CREATE TABLE "next_version" ("id" INTEGER PRIMARY KEY);
CREATE INDEX "execution_next_version" ON "execution" ("next_version");
`;

/** The present build as the next version: the same program with one more migration. Returns its `dist`. */
export function makeNextVersion(folder: string, dist: string): string {
  mkdirSync(folder, { recursive: true });
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  for (const name of ['package.json', 'prisma'])
    cpSync(join(PROJECT_ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'prisma/migrations', MIGRATION));
  writeFileSync(join(folder, 'prisma/migrations', MIGRATION, 'migration.sql'), ADDITIONS);
  return join(folder, 'dist');
}
