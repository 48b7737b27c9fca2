import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { CaptureWorker } from './capture-worker.service.js';

const EVERY_MS = 5_000;

/** Wakes capture at the start, for what a restart left, and again and again, for what another process took in. */
@Injectable()
export class CaptureJob implements OnApplicationBootstrap {
  constructor(private readonly captureWorker: CaptureWorker) {}

  onApplicationBootstrap(): void {
    this.captureWorker.wake();
  }

  @Interval(EVERY_MS)
  wake(): void {
    this.captureWorker.wake();
  }
}
