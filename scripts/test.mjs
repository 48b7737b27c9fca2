#!/usr/bin/env node
/**
 * npm test [-- --database embedded|postgresql] [-- --pure] [-- --timed] [-- arguments of jest]
 *
 * Runs the specs on the embedded database. If TEST_DATABASE_URL names a server on which databases may be created and
 * dropped, runs them on PostgreSQL, which is much faster, and those of the gate and the loop on the embedded database as
 * well. In CI, properties draw from one seed, so that a run can be repeated; elsewhere from another one each time, or from
 * that of `--seed`. `--pure` runs only the specs that open no database. A spec file above its budget (test/budget.mjs),
 * in this run and then alone, fails the run. The last lines are the slowest files, the time of all runs (with --timed,
 * also that of the type check) and the total "N passed, N failed".
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare } from './setup/prepare.mjs';
import { filesUnder, ROOT } from './setup/stamp.mjs';
import { reportBudget } from './test/budget.mjs';
import { makeQuickFolder } from './test/quick-folder.mjs';
import { readSpent } from './test/spent.mjs';
import { formatTime, runTimed } from './test/timed.mjs';

const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
/**
 * For workers, which live for minutes: optimising the code of the embedded database costs more than it saves, and short
 * lives fit into a larger new space, which is collected less often.
 */
const NODE_FLAGS = ['--liftoff-only', '--max-semi-space-size=32'];
/** Outlives a run: Jest keeps there how long each file takes. */
const CACHE = `--cacheDirectory=${join(tmpdir(), 'guildbook-jest')}`;
const CI_SEED = 20_261_128;
const TYPE_CHECK = [join(ROOT, 'node_modules/typescript-native/bin/tsc'), '--noEmit', '-p', 'tsconfig.json'];

const { chosen, isTimed, isPure, jestArgs } = parse(process.argv.slice(2));
const databases =
  chosen === undefined ? [...(process.env.TEST_DATABASE_URL ? ['postgresql'] : []), 'embedded'] : [chosen];
if (chosen === 'postgresql' && !process.env.TEST_DATABASE_URL)
  stop('Set TEST_DATABASE_URL to a PostgreSQL server, such as postgresql://postgres@127.0.0.1:5432/postgres.');

// In a complete run some specs start the built program. The first of them should not pay for the build.
await prepare(['deps', 'client', ...(jestArgs.length === 0 && !isPure ? ['build'] : [])]);

const runs = databases.map((database) => runJest(database, selectionFor(database)));
const sum = (key) => runs.reduce((total, run) => total + run[key], 0);
// Arguments select some tests, and Jest counts the others as skipped.
const skipsInWholeRun = jestArgs.length === 0 && sum('skipped') > 0;
if (skipsInWholeRun) console.error(`\nA complete run must skip no test; this one skipped ${sum('skipped')}.`);
const tests = { wall: sum('wall'), processor: runs[0].processor === undefined ? undefined : sum('processor') };
const typeCheck = isTimed ? `; tsc --noEmit: ${formatTime(runTimed(TYPE_CHECK, { cwd: ROOT, stdio: 'inherit' }))}` : '';
const budget = reportBudget(runs.flatMap(({ spent }) => spent));
console.log(`\n${budget.lines.join('\n')}`);
for (const text of budget.noted) console.log(`slow: ${text}`);
// Memory that is short, or work beside the run, takes CPU-seconds as well: what counts is the file alone.
const tooSlow = budget.over.flatMap(({ file, database, text }) => {
  console.log(`\nOnce more alone: ${text}`);
  return reportBudget(runJest(database, ['--runTestsByPath', file]).spent).over;
});
// At the end, because a log may be cut before it.
for (const { text } of tooSlow) console.log(`FAILED ${text}`);
for (const failure of runs.flatMap(({ failures }) => failures)) console.log(`FAILED ${failure}`);
console.log(`\nTests: ${formatTime(tests)}${typeCheck}`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
const failed = sum('failed') > 0 || skipsInWholeRun || tooSlow.length > 0 || runs.some(({ status }) => status !== 0);
process.exit(failed ? 1 : 0);

function parse(all) {
  const isTimed = all.includes('--timed');
  const isPure = all.includes('--pure');
  const args = all.filter((arg) => arg !== '--timed' && arg !== '--pure');
  const at = args.findIndex((arg) => arg === '--database' || arg.startsWith('--database='));
  if (at < 0) return { chosen: isPure ? 'embedded' : undefined, isTimed, isPure, jestArgs: args };
  const inline = args[at].split('=')[1];
  const value = inline ?? args[at + 1];
  if (value !== 'embedded' && value !== 'postgresql') stop('--database is embedded or postgresql.');
  return { chosen: value, isTimed, isPure, jestArgs: args.toSpliced(at, inline === undefined ? 2 : 1) };
}

function selectionFor(database) {
  return jestArgs.length === 0 && databases.indexOf(database) === 1 ? specsOfBothDatabases() : jestArgs;
}

function runJest(database, selection) {
  const label = database === 'embedded' ? 'the embedded database' : 'PostgreSQL';
  console.log(`\nTests ${isPure ? 'without a database' : `on ${label}`}`);
  const folder = makeQuickFolder();
  const counts = join(folder, 'counts.json');
  const spent = join(folder, 'spent.jsonl');
  // After the caller's arguments, because the option consumes every word that follows it.
  const ours = ['progress', 'counts'].map((name) => `--reporters=${join(ROOT, `scripts/test/${name}-reporter.mjs`)}`);
  const seed = process.env.CI && !selection.some((arg) => arg.startsWith('--seed')) ? [`--seed=${CI_SEED}`] : [];
  const filter = isPure ? [`--filter=${join(ROOT, 'scripts/test/pure-specs.cjs')}`] : [];
  const { status, wall, processor } = runTimed(
    [...NODE_FLAGS, JEST, ...selection, ...seed, ...filter, CACHE, '--reporters=default', ...ours],
    {
      cwd: ROOT,
      env: { ...environment(database), TMPDIR: folder, GUILDBOOK_TEST_COUNTS: counts, GUILDBOOK_TEST_SPENT: spent },
      stdio: 'inherit',
    },
  );
  // The file is missing if Jest stopped early.
  const run = existsSync(counts)
    ? JSON.parse(readFileSync(counts, 'utf8'))
    : { passed: 0, failed: 1, skipped: 0, failures: [] };
  const files = readSpent(spent).map((file) => ({ ...file, database: isPure ? 'pure' : database }));
  rmSync(folder, { recursive: true });
  return { status: status ?? 1, wall, processor, ...run, spent: files };
}

/** Selects the specs that a complete run executes on both databases. */
function specsOfBothDatabases() {
  const product =
    /^test\/(?:architecture\/gate[\w-]*|e2e\/(?:proposal-override|proposal-votes|proposals|learning|mcp|recall))\.spec\.ts$/;
  return ['--runTestsByPath', ...filesUnder('test').filter((file) => product.test(file))];
}

/** Removes the shell's settings for a server, because the tests bring their own. */
function environment(database) {
  const isOurs = (name) => name.startsWith('GUILDBOOK_') || name.startsWith('ANTHROPIC_') || name === 'DATABASE_URL';
  const kept = Object.entries(process.env).filter(([name]) => !isOurs(name));
  return { ...Object.fromEntries(kept), GUILDBOOK_TEST_DATABASE: database };
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
