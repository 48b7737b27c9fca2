import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { MINUTE_MS } from '../platform/base/durations.js';
import { messageOf } from '../platform/base/error-text.js';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/platform.module.js';
import { redact } from '../untrusted/redaction/redact.js';
import { JournalAudit } from './journal-audit.service.js';

/** Signs the head of the journal at intervals. */
@Injectable()
export class CheckpointJob implements OnApplicationBootstrap {
  private readonly logger = new Logger(CheckpointJob.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly schedule: SchedulerRegistry,
    private readonly audit: JournalAudit,
  ) {}

  onApplicationBootstrap(): void {
    const every = this.config.journalCheckpointMinutes * MINUTE_MS;
    this.schedule.addInterval(
      'journal-checkpoint',
      setInterval(() => void this.wake(), every),
    );
  }

  async wake(): Promise<void> {
    try {
      await this.audit.sign();
    } catch (error) {
      this.logger.error(redact(messageOf(error)).text);
    }
  }
}
