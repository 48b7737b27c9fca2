import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { messageOf } from '../platform/base/error-text.js';
import { redact } from '../untrusted/redaction/redact.js';
import { AuditStreamWorker } from './audit-stream-worker.service.js';
import { AuditStreams } from './audit-streams.service.js';

const EVERY_MS = 5_000;

@Injectable()
export class AuditStreamJob implements OnApplicationBootstrap {
  private readonly logger = new Logger(AuditStreamJob.name);

  constructor(
    private readonly streams: AuditStreams,
    private readonly worker: AuditStreamWorker,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.streams.addFile().catch((error: unknown) => this.logger.error(redact(messageOf(error)).text));
    this.worker.wake();
  }

  @Interval(EVERY_MS)
  wake(): void {
    this.worker.wake();
  }
}
