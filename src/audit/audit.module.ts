import { Module } from '@nestjs/common';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AuditFile } from './audit-file.service.js';
import { AuditStreamRepository } from './audit-stream.repository.js';
import { AuditStreamSender } from './audit-stream-sender.service.js';
import { AuditStreamWorker } from './audit-stream-worker.service.js';
import { AuditStreamsController } from './audit-streams.controller.js';
import { AuditStreams } from './audit-streams.service.js';

/** The journal, sent to receivers outside the reach of the database's owner. */
@Module({
  imports: [WebhooksModule],
  controllers: [AuditStreamsController],
  providers: [AuditStreamRepository, AuditFile, AuditStreamSender, AuditStreamWorker, AuditStreams],
  exports: [AuditStreams],
})
export class AuditModule {}
