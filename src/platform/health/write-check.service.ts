import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { ServerProcesses } from '../background/server-processes.service.js';
import { SECOND_MS } from '../base/durations.js';
import { messageOf } from '../base/error-text.js';
import { Readiness, type ReadinessProblem } from '../http/readiness.service.js';
import { probedPartOf, probeFolder } from '../start/writable-folder.js';
import { requireLog } from '../telemetry/log-output.js';

const EVERY_MS = 5 * SECOND_MS;
/** A write that takes longer counts as failed. */
const STALLED_MS = 10 * SECOND_MS;

const HELP = 'The server log says why; docs/troubleshoot.md says what to do.';

/** What has to be written, and what the last write of it said. */
class Target {
  running: Promise<void> | undefined;
  private startedAt = 0;
  private failure: string | undefined;
  private readonly logger = new Logger('WriteCheck');

  constructor(
    readonly problem: ReadinessProblem,
    private readonly name: string,
    private readonly write: () => Promise<void>,
  ) {}

  get isFailing(): boolean {
    return (
      this.failure !== undefined || (this.running !== undefined && performance.now() - this.startedAt > STALLED_MS)
    );
  }

  /** One write at a time: one that is stalled stays alone. */
  check(): Promise<void> {
    this.running ??= this.attempt().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async attempt(): Promise<void> {
    this.startedAt = performance.now();
    try {
      await this.write();
      if (this.failure !== undefined) this.logger.log(`${this.name} can be written again`);
      this.failure = undefined;
    } catch (error) {
      const failure = messageOf(error);
      if (this.failure === undefined) this.logger.error(`${this.name} cannot be written: ${failure}`);
      this.failure = failure;
    }
  }
}

/**
 * Tries every few seconds whether the database, the skills folder and the log can be written, and reports in `/readyz`
 * what cannot: reading alone works on a full disk and on a database that only reads.
 */
export class WriteCheck implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly targets: readonly Target[];
  private timer: NodeJS.Timeout | undefined;

  constructor(skillsDir: string, processes: ServerProcesses, readiness: Readiness) {
    this.targets = [
      new Target(
        { code: 'database.write_failed', message: `The database stores nothing at the moment. ${HELP}` },
        'the database',
        () => processes.requireWritable(),
      ),
      new Target(
        {
          code: 'skills.write_failed',
          message: `The skills folder cannot be written, so nothing is published. ${HELP}`,
        },
        'the skills folder',
        () => probeFolder(probedPartOf(skillsDir)),
      ),
      new Target(
        {
          code: 'log.write_failed',
          message: 'The log cannot be written, and its lines are lost and counted. See docs/troubleshoot.md.',
        },
        'the log',
        async () => requireLog(),
      ),
    ];
    readiness.registerProblems(() => this.targets.filter(({ isFailing }) => isFailing).map(({ problem }) => problem));
  }

  onApplicationBootstrap(): void {
    void this.check();
    this.timer = setInterval(() => void this.check(), EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.targets.map(({ running }) => running));
  }

  /** Writes now. Never rejects. A request for `/readyz` does not call it, so that many of them cost nothing. */
  async check(): Promise<void> {
    await Promise.all(this.targets.map((target) => target.check()));
  }
}
