import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { QueueStates } from '../platform/background/queue-states.service.js';
import { ScheduledJobs } from '../platform/background/scheduled-jobs.service.js';
import { HOUR_MS } from '../platform/base/durations.js';
import { PENDING_DELIVERIES } from './webhook.repository.js';
import { WebhookDeliveryWorker } from './webhook-delivery-worker.service.js';

const EVERY_MS = 5_000;

@Injectable()
export class WebhookJob implements OnApplicationBootstrap {
  constructor(
    private readonly deliveryWorker: WebhookDeliveryWorker,
    queues: QueueStates,
    jobs: ScheduledJobs,
  ) {
    jobs.register('webhook-purge', { everyMs: HOUR_MS }, async () => {
      await this.deliveryWorker.purge();
      return 'completed';
    });
    queues.register('webhooks', PENDING_DELIVERIES);
  }

  onApplicationBootstrap(): void {
    this.deliveryWorker.wake();
  }

  @Interval(EVERY_MS)
  wake(): void {
    this.deliveryWorker.wake();
  }
}
