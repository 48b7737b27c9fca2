#!/usr/bin/env node
/** npm run test:crash -- --kills N [--database embedded|postgresql|both] [--seed S]; --help describes it. */
import { parseArgs } from 'node:util';
import { prepare } from './setup/prepare.mjs';
import { runSources } from './test/run-sources.mjs';

const HELP = `npm run test:crash -- --kills N [--database embedded|postgresql|both] [--seed S]

Kills the built server N times while a reviewer approves, supersedes and revokes over HTTP: at random times, before and
after each kind of git call, and, if strace is installed, before a system call of git or the server that changes the disk.
After each kill, starts it again and checks: every decision is one commit, in the folder and in org memory; retired
skills are gone; no lock is left; git fsck finds nothing; the outbox is empty; the journal is intact.

Every 50 kills use a new database, a new repository and the next seed. A failure prints its seed and keeps its folder.
PostgreSQL: the server in TEST_DATABASE_URL. The last line is JSON.`;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    database: { type: 'string', default: process.env.TEST_DATABASE_URL ? 'both' : 'embedded' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean' },
  },
});
const isWrong =
  !/^[1-9]\d{0,6}$/.test(values.kills) ||
  !/^\d{1,9}$/.test(values.seed) ||
  !['embedded', 'postgresql', 'both'].includes(values.database) ||
  (values.database !== 'embedded' && !process.env.TEST_DATABASE_URL);
if (values.help || isWrong) {
  console[values.help ? 'log' : 'error'](HELP);
  process.exit(values.help ? 0 : 1);
}
await prepare(['deps', 'client', 'build']);
const options = Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
process.exit(runSources('test/crash/run.ts', options, { GUILDBOOK_TEST_DATABASE: 'postgresql' }));
