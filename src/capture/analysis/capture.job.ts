import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { QueueStates } from '../../platform/background/queue-states.service.js';
import { PENDING_EXECUTIONS } from '../store/execution.repository.js';
import { CaptureWorker } from './capture-worker.service.js';
import { PENDING_PAYLOADS } from './payload.repository.js';

const EVERY_MS = 5_000;

/**
 * Wakes the capture worker at the start, for executions that a restart left, and every five seconds, for executions
 * that another process received.
 */
@Injectable()
export class CaptureJob implements OnApplicationBootstrap {
  constructor(
    private readonly captureWorker: CaptureWorker,
    queues: QueueStates,
  ) {
    queues.register('capture', PENDING_EXECUTIONS);
    queues.register('proposer', PENDING_PAYLOADS);
  }

  onApplicationBootstrap(): void {
    this.captureWorker.wake();
  }

  @Interval(EVERY_MS)
  wake(): void {
    this.captureWorker.wake();
  }
}
