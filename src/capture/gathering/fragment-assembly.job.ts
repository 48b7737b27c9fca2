import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { QueueStates } from '../../platform/background/queue-states.service.js';
import { FragmentAssembler } from './fragment-assembler.service.js';
import { DUE_ASSEMBLIES } from './fragment-assembly.repository.js';

const EVERY_MS = 5_000;

/** Wakes the fragment assembler at the start, for fragments that a restart left, and every five seconds. */
@Injectable()
export class FragmentAssemblyJob implements OnApplicationBootstrap {
  constructor(
    private readonly assembler: FragmentAssembler,
    queues: QueueStates,
  ) {
    queues.register('fragments', DUE_ASSEMBLIES);
  }

  onApplicationBootstrap(): void {
    this.assembler.wake();
  }

  @Interval(EVERY_MS)
  wake(): void {
    this.assembler.wake();
  }
}
