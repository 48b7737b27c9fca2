import { setTimeout as sleep } from 'node:timers/promises';
import type { KilledServer } from '../killed-server.js';

/** Before the next start, as a supervisor of services waits. */
const RESTART_MS = 100;

/** Keeps one process running: starts it again after each end, as a supervisor of services does. */
export class ProcessKeeper {
  /** Ends and failed starts that no kill explains. */
  readonly unexpected: string[] = [];
  /** Logged errors without what varies, with their number. */
  readonly errors = new Map<string, number>();
  private isOver = false;
  private wasKilled = false;
  private running: Promise<void> | undefined;

  constructor(readonly server: KilledServer) {}

  begin(): void {
    this.running = this.keep();
  }

  /** What it was doing when it was killed. */
  kill(withChildren: boolean): 'serving' | 'starting' | 'gone' {
    if (!this.server.isRunning) return 'gone';
    const kind = this.server.url === '' ? 'starting' : 'serving';
    this.wasKilled = true;
    this.server.kill(withChildren);
    return kind;
  }

  async end(): Promise<void> {
    this.isOver = true;
    if (this.server.isRunning) this.server.kill(true);
    await this.running;
  }

  private async keep(): Promise<void> {
    while (!this.isOver) {
      this.wasKilled = false;
      let problem: string | undefined;
      try {
        await this.server.start();
        await this.server.waitForExit();
      } catch (error) {
        problem = String(error);
        if (this.server.isRunning) this.server.kill(true);
        await this.server.waitForExit();
      }
      this.takeErrors();
      if (!this.wasKilled && !this.isOver)
        this.unexpected.push(`a process ended by itself: ${problem ?? this.server.log.slice(-2_000)}`);
      await sleep(RESTART_MS);
    }
  }

  private takeErrors(): void {
    for (const line of this.server.log.split('\n')) {
      if (!/"level":"(?:error|fatal)"/.test(line)) continue;
      const same = line
        .replace(/"(?:pid|timestamp)":\d+,?/g, '')
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}|\d+/g, '…')
        .slice(0, 400);
      this.errors.set(same, (this.errors.get(same) ?? 0) + 1);
    }
  }
}
