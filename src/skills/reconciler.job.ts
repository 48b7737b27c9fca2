import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { GitRepository } from './git.repository.js';
import { Reconciler } from './reconciler.service.js';

const EVERY_MS = 60_000;

@Injectable()
export class ReconcilerJob implements OnApplicationBootstrap {
  constructor(
    private readonly git: GitRepository,
    private readonly reconciler: Reconciler,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.git.ensure();
    this.reconciler.ring();
  }

  @Interval(EVERY_MS)
  ring(): void {
    this.reconciler.ring();
  }
}
