import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Wakeable } from '../platform/background/worker.js';
import { SkillWatch } from './skill-watch.service.js';

const EVERY_MS = 30_000;
/** Without news of this process, for what another one captured: every five minutes. */
const QUIET_ROUNDS = 10;

/** Wakes the watch soon after executions were captured; a look counts over many, so that a burst of them makes one look. */
@Injectable()
export class SkillWatchJob implements Wakeable {
  private hasNewExecutions = true;
  private quietRounds = 0;

  constructor(private readonly watch: SkillWatch) {}

  /** Executions were captured. */
  wake(): void {
    this.hasNewExecutions = true;
  }

  @Interval(EVERY_MS)
  tick(): void {
    this.quietRounds += 1;
    if (!this.hasNewExecutions && this.quietRounds < QUIET_ROUNDS) return;
    this.hasNewExecutions = false;
    this.quietRounds = 0;
    this.watch.wake();
  }
}
