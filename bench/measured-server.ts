import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 120_000;

/** A program in a separate process, observed through its output. */
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

  /**
   * Waits for output that matches the pattern and returns the first group. Throws if the program exits or the output
   * does not come in time.
   */
  async waitForOutput(pattern: RegExp): Promise<string> {
    for (const deadline = performance.now() + START_MS; ; await sleep(5)) {
      const found = pattern.exec(this.log)?.[1];
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || performance.now() > deadline)
        throw new Error(`the program did not print ${pattern}:\n${this.log}`);
    }
  }

  /** Heap size in bytes after a collection, for a server with heap-on-signal.mjs. */
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
