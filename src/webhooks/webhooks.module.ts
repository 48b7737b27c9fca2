import { Module } from '@nestjs/common';
import { AuditFile } from './audit-file.service.js';
import { AuditStreamRepository } from './audit-stream.repository.js';
import { AuditStreamSender } from './audit-stream-sender.service.js';
import { AuditStreamWorker } from './audit-stream-worker.service.js';
import { AuditStreamsController } from './audit-streams.controller.js';
import { AuditStreams } from './audit-streams.service.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookDeliveryWorker } from './webhook-delivery-worker.service.js';
import { WebhookOutbox } from './webhook-outbox.service.js';
import { WebhookSender } from './webhook-sender.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { Webhooks } from './webhooks.service.js';

/** What is sent elsewhere: messages about events, and the journal to receivers beyond the database's owner. */
@Module({
  controllers: [WebhooksController, AuditStreamsController],
  providers: [
    ...[WebhookRepository, WebhookSender, WebhookOutbox, WebhookDeliveryWorker, Webhooks],
    ...[AuditStreamRepository, AuditFile, AuditStreamSender, AuditStreamWorker, AuditStreams],
  ],
  exports: [WebhookOutbox, Webhooks, AuditStreams],
})
export class WebhooksModule {}
