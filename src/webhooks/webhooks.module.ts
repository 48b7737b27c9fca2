import { Module } from '@nestjs/common';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookDeliveryWorker } from './webhook-delivery-worker.service.js';
import { WebhookOutbox } from './webhook-outbox.service.js';
import { WebhookSender } from './webhook-sender.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { Webhooks } from './webhooks.service.js';

@Module({
  controllers: [WebhooksController],
  providers: [WebhookRepository, WebhookSender, WebhookOutbox, WebhookDeliveryWorker, Webhooks],
  exports: [WebhookOutbox, WebhookSender, Webhooks],
})
export class WebhooksModule {}
