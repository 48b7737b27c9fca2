import { existsSync, readFileSync } from 'node:fs';

/** Resident memory of a process, in MB; NaN except on Linux. */
export function residentMegabytes(pid: number): number {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1_024;
}
