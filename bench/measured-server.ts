import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 120_000;

/** A program in a process of its own, known by what it prints. */
export class MeasuredServer {
  private log = '';

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.log = (this.log + text).slice(-100_000);
      });
  }

  static start(args: readonly string[], env: Record<string, string>): MeasuredServer {
    return new MeasuredServer(spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** The first group of what it printed, once it has. Throws when it ends, or says nothing of the kind for long. */
  async waitForOutput(pattern: RegExp): Promise<string> {
    for (const deadline = performance.now() + START_MS; ; await sleep(5)) {
      const found = pattern.exec(this.log)?.[1];
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || performance.now() > deadline)
        throw new Error(`this was to be printed: ${pattern}\n${this.log}`);
    }
  }

  /** Bytes of the heap after a collection; of a server that heap-on-signal.mjs was loaded into. */
  async heapBytes(): Promise<number> {
    this.log = '';
    this.child.kill('SIGWINCH');
    return Number(await this.waitForOutput(/heap after collection: (\d+)/));
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }
}
