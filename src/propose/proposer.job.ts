import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Proposing } from './proposing.service.js';

const EVERY_MS = 5_000;

@Injectable()
export class ProposerJob implements OnApplicationBootstrap {
  constructor(private readonly proposing: Proposing) {}

  onApplicationBootstrap(): void {
    this.proposing.ring();
  }

  @Interval(EVERY_MS)
  ring(): void {
    this.proposing.ring();
  }
}
