#!/usr/bin/env node
/** npm run test:crash -- [--kills N] [--processes N] [--consolidation N] [--checkpoints N] [--database …]; --help describes it. */
import { parseArgs } from 'node:util';
import { prepare } from './setup/prepare.mjs';
import { runSources } from './test/run-sources.mjs';

const HELP = `npm run test:crash -- [--kills N] [--consolidation N] [--checkpoints N] [--database embedded|postgresql|both] [--seed S] [--dist D]
npm run test:crash -- --processes N [--kills N] [--check-every N] [--folders shared|own] [--seed S] [--dist D]
npm run test:crash -- --upgrade [--from D] [--seed S] [--dist D]

--kills: kills the built server N times while a reviewer approves, supersedes and revokes over HTTP: at random times, before and
after each kind of git call, and, if strace is installed, before a system call of git or the server that changes the disk.
After each kill, starts it again and checks: every decision is one commit, in the folder and in org memory; retired
skills are gone; no lock is left; git fsck finds nothing; the outbox is empty; the journal is intact.

--processes: starts the built server N times on one PostgreSQL database, with the same skills folder. Agents report, write
lessons, recall, use skills and start sessions over HTTP, a reviewer approves and retires, cycles and upkeep run every ten
seconds. Kills a random process, two, or all, at random times, also while they start, and starts them again (--kills, 20
by default). A request without an answer goes to another process. Every 25 kills (--check-every): what was acknowledged
exists once, with its entry in the journal; no run of a job beside another; a cycle completes after the last kill; no
process reports tampering; git and decisions agree, as with --kills; a receiver and a file of the audit stream hold the
whole journal in its order. Every 100 kills use a new database. --folders own:
each process has a skills folder of its own, and all must come to the same commits.

--upgrade: two processes of one version under the same load on PostgreSQL, each replaced by one of the next version: the
present build with one more migration, or, with --from, the present build after the build in that folder. No request
may fail after its retries, and nothing may be missing or doubled; an old process that starts afterwards is refused.

--consolidation: kills N processes of the built program while they consolidate the lessons and the session memory of
agents: at random times, and before a statement. After each kill, compares the memory of each agent with that before its
run, or with that of a database that was never killed; in addition witnesses, successors, runs, leases and the journal. A
last run finishes what the kills left.

--checkpoints: kills N processes of the built program while they tune the embedder, deploy, roll back and delete: at random
times, and before a statement. After each kill: one whole embedder is in service, the next process serves it, and models,
vectors, runs and journal agree. --dist: another build of the program, to show that a fault is found.

Without any, 20 kills, 2 of the consolidation and 2 of checkpoints; --kills alone adds those, with both databases on PostgreSQL. Every
50 kills use a new database, a new repository and the next seed. A failure prints its seed and keeps its folder.
PostgreSQL: the server in TEST_DATABASE_URL. The last line of each part is JSON.`;

const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    processes: { type: 'string' },
    upgrade: { type: 'boolean', default: false },
    from: { type: 'string' },
    folders: { type: 'string', default: 'shared' },
    'check-every': { type: 'string', default: '25' },
    consolidation: { type: 'string' },
    checkpoints: { type: 'string' },
    dist: { type: 'string' },
    database: { type: 'string', default: process.env.TEST_DATABASE_URL ? 'both' : 'embedded' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean' },
  },
});
const isOne = values.upgrade || Boolean(values.consolidation ?? values.checkpoints ?? values.processes);
const processes = values.processes ?? '0';
const kills = values.kills ?? (isOne && !values.processes ? '0' : '20');
const consolidation = values.consolidation ?? (isOne ? '0' : '2');
const checkpoints = values.checkpoints ?? (isOne ? '0' : '2');
const isWrong =
  ![kills, consolidation, checkpoints, values['check-every']].every((count) => /^\d{1,7}$/.test(count)) ||
  !/^[0-9]$/.test(processes) ||
  !['shared', 'own'].includes(values.folders) ||
  (values.processes !== undefined && (processes === '0' || !process.env.TEST_DATABASE_URL)) ||
  (!values.upgrade && Number(kills) + Number(consolidation) + Number(checkpoints) === 0) ||
  (values.upgrade && !process.env.TEST_DATABASE_URL) ||
  !/^\d{1,9}$/.test(values.seed) ||
  !['embedded', 'postgresql', 'both'].includes(values.database) ||
  (values.database !== 'embedded' && !process.env.TEST_DATABASE_URL);
if (values.help || isWrong) {
  console[values.help ? 'log' : 'error'](HELP);
  process.exit(values.help ? 0 : 1);
}
await prepare(['deps', 'client', 'build']);
const dist = values.dist ? ['--dist', values.dist] : [];
function upgrade() {
  const from = values.from ? ['--from', values.from] : [];
  const args = ['--seed', values.seed, ...from, ...dist];
  return runSources('test/crash/upgrade/run.ts', args, { GUILDBOOK_TEST_DATABASE: 'postgresql' });
}
function run(program, option, count, database, more = []) {
  if (Number(count) === 0) return 0;
  const args = [option, count, '--database', database, '--seed', values.seed, ...more];
  return runSources(program, args, { GUILDBOOK_TEST_DATABASE: 'postgresql' });
}
// Beside other kills they take one database, the quicker one.
const beside = values.database === 'both' && !isOne ? 'postgresql' : values.database;
const ofProcesses = [
  '--processes',
  processes,
  '--check-every',
  values['check-every'],
  '--folders',
  values.folders,
  ...dist,
];
const statuses = [
  values.upgrade ? upgrade() : 0,
  processes === '0'
    ? run('test/crash/run.ts', '--kills', kills, values.database)
    : run('test/crash/processes/run.ts', '--kills', kills, 'postgresql', ofProcesses),
  run('test/crash/consolidation/run.ts', '--consolidation', consolidation, beside),
  run('test/crash/checkpoints/run.ts', '--checkpoints', checkpoints, beside, dist),
];
process.exit(Math.max(...statuses));
