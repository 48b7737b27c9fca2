import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 50;

export interface MeasuredCommand {
  readonly seconds: number;
  /** Largest resident set of the process, without the programs that it starts. */
  readonly peakMb: number;
  /** Processor time of all its threads. On a busy machine it says more than the seconds on the clock. */
  readonly processorSeconds: number;
  readonly output: string;
}

/** Runs a program of Node.js to its end. Throws if it fails. */
export async function measureCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<MeasuredCommand> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  let [peakMb, processorSeconds] = [0, 0];
  const closed = once(child, 'close');
  // A process that has ended has no peak any more, so the last look before its end counts.
  for (let isOpen = true; isOpen; ) {
    peakMb = Math.max(peakMb, peakMegabytes(child.pid));
    processorSeconds = Math.max(processorSeconds, processorTime(child.pid));
    isOpen = await Promise.race([closed.then(() => false), sleep(LOOK_MS, true)]);
  }
  const seconds = (performance.now() - began) / 1_000;
  if (child.exitCode !== 0) throw new Error(`${args.slice(1).join(' ')} ended with ${child.exitCode}:\n${output}`);
  return { seconds, peakMb, processorSeconds, output };
}

/** As Linux reports it; 0 for a process that has ended. */
function peakMegabytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

/** Linux counts it in hundredths of a second; 0 for a process that has ended. */
function processorTime(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}
