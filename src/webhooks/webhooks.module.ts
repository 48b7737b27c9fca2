import { Module } from '@nestjs/common';
import { WebhookJob } from './webhook.job.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookDelivering } from './webhook-delivering.service.js';
import { WebhookOutbox } from './webhook-outbox.service.js';
import { WebhookSender } from './webhook-sender.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { Webhooks } from './webhooks.service.js';

@Module({
  controllers: [WebhooksController],
  providers: [WebhookRepository, WebhookSender, WebhookOutbox, WebhookDelivering, Webhooks, WebhookJob],
  exports: [WebhookOutbox, Webhooks],
})
export class WebhooksModule {}
