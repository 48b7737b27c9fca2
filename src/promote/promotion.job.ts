import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Promoting } from './promoting.service.js';

const EVERY_MS = 60_000;

/** Rings for a round of the promotion. */
@Injectable()
export class PromotionJob implements OnApplicationBootstrap {
  constructor(private readonly promoting: Promoting) {}

  onApplicationBootstrap(): void {
    this.promoting.ring();
  }

  @Interval(EVERY_MS)
  ring(): void {
    this.promoting.ring();
  }
}
