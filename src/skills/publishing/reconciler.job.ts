import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { GitRepository } from '../git/git.repository.js';
import { Reconciler } from './reconciler.service.js';

/** At the start. After that whoever looks for changes by hand has it look, every minute. */
@Injectable()
export class ReconcilerJob implements OnApplicationBootstrap {
  constructor(
    private readonly git: GitRepository,
    private readonly reconciler: Reconciler,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.git.ensure();
    this.reconciler.wake();
  }
}
