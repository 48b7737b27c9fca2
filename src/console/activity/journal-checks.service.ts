import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { JournalVerification } from '../../journal/journal.schema.js';
import { JournalAudit } from '../../journal/journal-audit.service.js';
import { Clock } from '../../platform/base/clock.js';
import { messageOf } from '../../platform/base/error-text.js';

/** A verification of the journal in this process: its progress, or its result. */
export type JournalCheck =
  | { readonly status: 'running'; readonly read: number; readonly total: number }
  | { readonly status: 'done'; readonly found: JournalVerification; readonly at: Date }
  | { readonly status: 'failed' };

/** Verifies the journal for the console. A long journal takes minutes, so the page shows the progress. */
@Injectable()
export class JournalChecks implements OnModuleDestroy {
  private readonly logger = new Logger(JournalChecks.name);
  private check: JournalCheck | undefined;
  private end: Promise<void> = Promise.resolve();
  private isStopping = false;

  constructor(
    private readonly audit: JournalAudit,
    private readonly clock: Clock,
  ) {}

  /** The running or the last verification; undefined if there was none. */
  get last(): JournalCheck | undefined {
    return this.check;
  }

  /** Starts a verification unless one is running, and waits for its end for at most so many milliseconds. */
  async begin(patienceMs: number): Promise<void> {
    if (this.check?.status !== 'running') {
      this.check = { status: 'running', read: 0, total: 0 };
      this.end = this.run();
    }
    await Promise.race([this.end, setTimeout(patienceMs, undefined, { ref: false })]);
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    await this.end;
  }

  private async run(): Promise<void> {
    try {
      const found = await this.audit.verify((read, total) => {
        if (this.isStopping) throw new Error('the server stops');
        this.check = { status: 'running', read, total };
      });
      this.check = { status: 'done', found, at: this.clock.now() };
    } catch (error) {
      this.logger.error(`the journal was not verified: ${messageOf(error)}`);
      this.check = { status: 'failed' };
    }
  }
}
