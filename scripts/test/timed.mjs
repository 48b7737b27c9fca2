import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `times` prints the processor time of the shell and, on a second line, that of its child processes. */
const TIMING = '"$@"; status=$?; times > "$0"; exit $status';

/** Runs Node with `args`. Returns milliseconds; `processor` is undefined without a POSIX shell. */
export function runTimed(args, options) {
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-timed-'));
  const times = join(folder, 'times');
  const started = performance.now();
  const { status } =
    process.platform === 'win32'
      ? spawnSync(process.execPath, args, options)
      : spawnSync('sh', ['-c', TIMING, times, process.execPath, ...args], options);
  const wall = performance.now() - started;
  // The file is missing if the shell was killed.
  const processor = existsSync(times) ? processorTime(readFileSync(times, 'utf8')) : undefined;
  rmSync(folder, { recursive: true });
  return { status, wall, processor };
}

/** Returns the milliseconds of the second line of `times`, such as "1m2.500s 0m0.250s". */
export function processorTime(times) {
  const spans = [...(times.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return spans.reduce((sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000, 0);
}

/** "4 min 12 s (processors: 7 min 3 s)" */
export function formatTime({ wall, processor }) {
  return processor === undefined ? formatSpan(wall) : `${formatSpan(wall)} (processors: ${formatSpan(processor)})`;
}

/** "9.0 s", "12 min 5 s" */
export function formatSpan(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
