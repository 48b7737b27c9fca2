import { slowness } from './pace.mjs';

/**
 * The budget of a spec file, in CPU-seconds of the worker and of the processes that it started and awaited, not of the
 * PostgreSQL server. Modules that its imports load do not count: files share them, and the first in a worker would pay.
 * A machine that is slower than the reference gets more (pace.mjs).
 */
export const NOTED_SECONDS = 10;
export const MAX_SECONDS = 20;
/** The embedded database works in the worker itself. */
const EMBEDDED = 1.5;
const SHOWN = 10;

/** Spec files that may take more than MAX_SECONDS: `{ seconds, reason }` by path. */
export const EXCEPTIONS = {
  'test/e2e/restart.spec.ts': { seconds: 150, reason: 'starts and kills built servers' },
  'test/e2e/stopping.spec.ts': { seconds: 100, reason: 'stops built servers with signals' },
  'test/e2e/canaries.spec.ts': { seconds: 55, reason: 'plants a secret in every text of every importer' },
  'test/e2e/cli.spec.ts': { seconds: 75, reason: 'starts the built program four times' },
  'test/e2e/first-start.spec.ts': { seconds: 75, reason: 'starts four built servers at once' },
  'src/operations/backup/backup.spec.ts': { seconds: 55, reason: 'opens 20 databases on disk' },
  'src/operations/backup/forged-backup.spec.ts': { seconds: 35, reason: 'opens 13 databases on disk' },
  'test/e2e/session-memory-kills.spec.ts': { seconds: 55, reason: 'kills processes while they write' },
  'test/e2e/connect.spec.ts': { seconds: 60, reason: 'connects agent products with a built server' },
  'test/e2e/pull-requests.spec.ts': { seconds: 40, reason: 'a new repository and remote for each test' },
  'test/e2e/skills-folder.spec.ts': { seconds: 60, reason: 'three applications with a repository each' },
  'test/e2e/refused-starts.spec.ts': { seconds: 45, reason: 'starts a built program for each refusal' },
  'test/e2e/full-disk.spec.ts': { seconds: 45, reason: 'starts built servers on a full disk' },
  'test/e2e/import-folder.spec.ts': { seconds: 40, reason: 'interrupts a built program' },
  'test/e2e/external-edits.spec.ts': { seconds: 40, reason: 'a new repository for each test' },
  'test/e2e/known-history.spec.ts': { seconds: 40, reason: 'a new repository for each test' },
  'src/capture/importers/importers.spec.ts': { seconds: 50, reason: 'one conformance suite over all formats' },
  'test/e2e/checked-lessons.spec.ts': { seconds: 35, reason: 'lets a fleet report for each test, and runs its cycles' },
  'test/architecture/routes.spec.ts': { seconds: 45, reason: 'asks each route as each kind of caller' },
  'test/architecture/gate.spec.ts': { seconds: 30, reason: 'compiles probes against the gate' },
};

/**
 * Reports what the files of a run took. `files` hold `{ file, database, cpu, wall, loading, pace }` in seconds.
 * Returns the slowest files and the sum as lines, the files above 10 CPU-seconds, and as `{ file, database, text }` those
 * above their limit, which fail the run if they are above it alone, too.
 */
export function reportBudget(files, exceptions = EXCEPTIONS) {
  const slowest = files.toSorted((a, b) => b.cpu - a.cpu);
  const seconds = (value) => `${value.toFixed(1).padStart(6)} s`;
  const rows = slowest
    .slice(0, SHOWN)
    .map(({ file, database, cpu, wall }) => `${seconds(cpu)} ${seconds(wall)}  ${file} (${database})`);
  const slower = slowness(files.flatMap(({ pace }) => pace ?? []));
  const noted = slowest
    .filter(({ cpu }) => cpu > NOTED_SECONDS * slower)
    .map((spent) => judge(spent, slower, exceptions));
  const sum = (key) => Math.round(files.reduce((total, file) => total + file[key], 0));
  return {
    lines: [
      `The slowest of ${files.length} spec files (CPU, wall):`,
      ...rows,
      `${sum('cpu')} CPU-seconds in specs, and ${sum('loading')} to load modules`,
      ...(slower > 1
        ? [`This machine needs ${slower.toFixed(1)} times the CPU-seconds of the reference; limits follow.`]
        : []),
    ],
    noted: noted.filter(({ isOver }) => !isOver).map(({ text }) => text),
    over: noted.filter(({ isOver }) => isOver),
  };
}

function judge({ file, database, cpu }, slower, exceptions) {
  const exception = exceptions[file];
  const share = slower * (database === 'embedded' ? EMBEDDED : 1);
  const most = Math.round((exception?.seconds ?? MAX_SECONDS) * share);
  const isOver = cpu > most;
  const limit = isOver
    ? `more than ${most} (scripts/test/budget.mjs)`
    : `more than ${Math.round(NOTED_SECONDS * slower)}, fails above ${most}`;
  const reason = exception === undefined ? '' : `: ${exception.reason}`;
  return { file, database, isOver, text: `${file} (${database}): ${cpu.toFixed(1)} CPU-seconds, ${limit}${reason}` };
}
