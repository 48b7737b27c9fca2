import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { QueueStates } from '../platform/background/queue-states.service.js';
import { MINUTE_MS } from '../platform/base/durations.js';
import { DUE_CHECKS } from './promotion.repository.js';
import { PromotionWorker } from './promotion-worker.service.js';

const EVERY_MS = MINUTE_MS;

/** Starts a round of the promotion every minute. */
@Injectable()
export class PromotionJob implements OnApplicationBootstrap {
  constructor(
    private readonly worker: PromotionWorker,
    queues: QueueStates,
  ) {
    queues.register('promotion', DUE_CHECKS);
  }

  onApplicationBootstrap(): void {
    this.worker.wake();
  }

  @Interval(EVERY_MS)
  wake(): void {
    this.worker.wake();
  }
}
