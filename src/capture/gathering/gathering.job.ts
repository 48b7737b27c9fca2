import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Gathering } from './gathering.service.js';

const EVERY_MS = 5_000;

/** Looks for executions whose last piece has come, also for what a restart left. */
@Injectable()
export class GatheringJob implements OnApplicationBootstrap {
  constructor(private readonly gathering: Gathering) {}

  onApplicationBootstrap(): void {
    this.gathering.wake();
  }

  @Interval(EVERY_MS)
  wake(): void {
    this.gathering.wake();
  }
}
