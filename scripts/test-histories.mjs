#!/usr/bin/env node
/**
 * npm run test:histories -- [--histories N] [--seed N]
 *
 * 500 random histories of sessions, reported to the services on the embedded database: resumes, forks, copies, worktrees
 * and sessions that grow, by transcripts, hooks and traces, under several names of agents, in random orders. Each must
 * give the counts and the proposals of the same sessions reported once. Prints each history that differs; the last line
 * is JSON, such as {"histories":500,"failed":0,"proposals":312,"seed":7}. Exits with 1 if one differs.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare } from './setup/prepare.mjs';
import { ROOT } from './setup/stamp.mjs';

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Math.trunc(Math.random() * 1e9)) },
  },
});
await prepare(['deps', 'client']);
const jest = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--testRegex', 'test/histories/.*\\.long\\.ts$'];
const { status } = spawnSync(process.execPath, jest, {
  cwd: ROOT,
  env: {
    ...process.env,
    GUILDBOOK_TEST_DATABASE: 'embedded',
    TEST_HISTORIES: values.histories,
    TEST_SEED: values.seed,
  },
  stdio: 'inherit',
});
process.exit(status ?? 1);
