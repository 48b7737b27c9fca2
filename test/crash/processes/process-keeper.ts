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

  constructor(private current: KilledServer) {}

  get server(): KilledServer {
    return this.current;
  }

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

  /** Stops the process as a supervisor does, and keeps another one in its place. */
  replace(by: KilledServer): void {
    const before = this.current;
    this.wasKilled = true;
    this.current = by;
    before.stop();
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
      const server = this.current;
      try {
        await server.start();
        await server.waitForExit();
      } catch (error) {
        problem = String(error);
        if (server.isRunning) server.kill(true);
        await server.waitForExit();
      }
      this.takeErrors(server.log);
      if (!this.wasKilled && !this.isOver)
        this.unexpected.push(`a process ended by itself: ${problem ?? server.log.slice(-2_000)}`);
      await sleep(RESTART_MS);
    }
  }

  private takeErrors(log: string): void {
    for (const line of log.split('\n')) {
      if (!/"level":"(?:error|fatal)"/.test(line)) continue;
      const same = line
        .replace(/"(?:pid|timestamp)":\d+,?/g, '')
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}|\d+/g, '…')
        .slice(0, 400);
      this.errors.set(same, (this.errors.get(same) ?? 0) + 1);
    }
  }
}
