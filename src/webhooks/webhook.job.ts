import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { HOUR_MS } from '../platform/base/durations.js';
import { QueueStates } from '../platform/processes/queue-states.service.js';
import { PENDING_DELIVERIES } from './webhook.repository.js';
import { WebhookDeliveryWorker } from './webhook-delivery-worker.service.js';

const EVERY_MS = 5_000;

@Injectable()
export class WebhookJob implements OnApplicationBootstrap {
  private readonly logger = new Logger(WebhookJob.name);

  constructor(
    private readonly deliveryWorker: WebhookDeliveryWorker,
    queues: QueueStates,
  ) {
    queues.register('webhooks', PENDING_DELIVERIES);
  }

  onApplicationBootstrap(): void {
    this.deliveryWorker.wake();
  }

  @Interval(EVERY_MS)
  wake(): void {
    this.deliveryWorker.wake();
  }

  @Interval(HOUR_MS)
  async purge(): Promise<void> {
    await this.deliveryWorker.purge().catch((error: unknown) => this.logger.error(String(error)));
  }
}
