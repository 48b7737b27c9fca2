import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Linux reports process times in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** CPU-seconds of this process, with its threads; on Linux also of the processes that it awaited. */
export function cpuSeconds() {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  return secondsOf(readFileSync('/proc/self/stat', 'utf8'));
}

/** Adds utime, stime, cutime and cstime of /proc/self/stat. The name of the program may hold spaces and brackets. */
export function secondsOf(stat) {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

/** Several workers append to one file: a line is one write. */
export function appendSpent(path, spent) {
  appendFileSync(path, `${JSON.stringify(spent)}\n`);
}

/** Returns what the workers appended: `{ file, cpu, wall, loading }` in seconds. */
export function readSpent(path) {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
