import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Capturing } from './capturing.service.js';

const EVERY_MS = 5_000;

/** Rings at the start, for what a restart left, and again and again, for what another process took in. */
@Injectable()
export class CaptureJob implements OnApplicationBootstrap {
  constructor(private readonly capturing: Capturing) {}

  onApplicationBootstrap(): void {
    this.capturing.ring();
  }

  @Interval(EVERY_MS)
  ring(): void {
    this.capturing.ring();
  }
}
