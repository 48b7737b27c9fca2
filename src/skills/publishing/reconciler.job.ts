import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { GitRepository } from '../git/git.repository.js';
import { Reconciler } from './reconciler.service.js';

/** Runs the reconciler at the start. Later the search for external edits wakes it, every minute. */
@Injectable()
export class ReconcilerJob implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly git: GitRepository,
    private readonly reconciler: Reconciler,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.git.ensure();
    this.reconciler.wake();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.git.close();
  }
}
