#!/usr/bin/env node
/**
 * npm run test:races
 *
 * 200 proposals, each approved by 20 reviewers at once, then 200 by two, on the PostgreSQL server in TEST_DATABASE_URL.
 * Each must be published exactly once, and the journal must record each late approval. Prints the figures as JSON.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare } from './setup/prepare.mjs';
import { ROOT } from './setup/stamp.mjs';

if (!process.env.TEST_DATABASE_URL) {
  console.error('Set TEST_DATABASE_URL to a PostgreSQL server, such as postgresql://postgres@127.0.0.1:5432/postgres.');
  process.exit(1);
}
await prepare(['deps', 'client']);
const jest = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--testRegex', 'test/races/.*\\.race\\.ts$'];
const { status } = spawnSync(process.execPath, jest, {
  cwd: ROOT,
  env: { ...process.env, GUILDBOOK_TEST_DATABASE: 'postgresql' },
  stdio: 'inherit',
});
process.exit(status ?? 1);
