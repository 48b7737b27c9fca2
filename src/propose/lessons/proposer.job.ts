import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { BatchWorker } from './batch-worker.service.js';
import { ProposerWorker } from './proposer-worker.service.js';

const EVERY_MS = 5_000;
const BATCHES_EVERY_MS = 30_000;

@Injectable()
export class ProposerJob implements OnApplicationBootstrap {
  constructor(
    private readonly proposerWorker: ProposerWorker,
    private readonly batchWorker: BatchWorker,
  ) {}

  onApplicationBootstrap(): void {
    // Batches first: otherwise the worker would propose a backlog one by one after a restart.
    this.batchWorker.wake();
    this.proposerWorker.wake();
  }

  @Interval(EVERY_MS)
  wake(): void {
    this.proposerWorker.wake();
  }

  @Interval(BATCHES_EVERY_MS)
  wakeForBatches(): void {
    this.batchWorker.wake();
  }
}
