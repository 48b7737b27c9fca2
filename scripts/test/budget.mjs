/**
 * The budget of a spec file, in CPU-seconds of the worker and of the processes that it started and awaited, not of the
 * PostgreSQL server. Modules that its imports load do not count: files share them, and the first in a worker would pay.
 */
export const NOTED_SECONDS = 10;
export const MAX_SECONDS = 20;
const SHOWN = 10;

/** Spec files that may take more than MAX_SECONDS: `{ seconds, reason }` by path. */
export const EXCEPTIONS = {};

/**
 * Reports what the files of a run took. `files` hold `{ file, database, cpu, wall, loading }` in seconds. Returns the
 * slowest files and the sum as lines, the files above 10 CPU-seconds, and those above their limit, which fail the run.
 */
export function reportBudget(files, exceptions = EXCEPTIONS) {
  const slowest = files.toSorted((a, b) => b.cpu - a.cpu);
  const seconds = (value) => `${value.toFixed(1).padStart(6)} s`;
  const rows = slowest
    .slice(0, SHOWN)
    .map(({ file, database, cpu, wall }) => `${seconds(cpu)} ${seconds(wall)}  ${file} (${database})`);
  const noted = slowest.filter(({ cpu }) => cpu > NOTED_SECONDS).map((spent) => judge(spent, exceptions));
  const sum = (key) => Math.round(files.reduce((total, file) => total + file[key], 0));
  return {
    lines: [
      `The slowest of ${files.length} spec files (CPU, wall):`,
      ...rows,
      `${sum('cpu')} CPU-seconds in specs, and ${sum('loading')} to load modules`,
    ],
    noted: noted.filter(({ isOver }) => !isOver).map(({ text }) => text),
    over: noted.filter(({ isOver }) => isOver).map(({ text }) => text),
  };
}

function judge({ file, database, cpu }, exceptions) {
  const exception = exceptions[file];
  const most = exception?.seconds ?? MAX_SECONDS;
  const isOver = cpu > most;
  const limit = isOver
    ? `more than ${most} (scripts/test/budget.mjs)`
    : `more than ${NOTED_SECONDS}, fails above ${most}`;
  const reason = exception === undefined ? '' : `: ${exception.reason}`;
  return { isOver, text: `${file} (${database}): ${cpu.toFixed(1)} CPU-seconds, ${limit}${reason}` };
}
