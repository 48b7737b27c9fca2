import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Batching } from './batching.service.js';
import { Proposing } from './proposing.service.js';

const EVERY_MS = 5_000;
const BATCHES_EVERY_MS = 30_000;

@Injectable()
export class ProposerJob implements OnApplicationBootstrap {
  constructor(
    private readonly proposing: Proposing,
    private readonly batching: Batching,
  ) {}

  onApplicationBootstrap(): void {
    // First: a backlog that a restart finds is not worked off singly.
    this.batching.wake();
    this.proposing.wake();
  }

  @Interval(EVERY_MS)
  wake(): void {
    this.proposing.wake();
  }

  @Interval(BATCHES_EVERY_MS)
  wakeForBatches(): void {
    this.batching.wake();
  }
}
