import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Wakeable } from '../platform/background/worker.js';
import { DeliveryJudge } from './delivery-judge.service.js';
import { SkillWatch } from './skill-watch.service.js';

const EVERY_MS = 30_000;
/** Another process may have captured executions, so the watch runs every five minutes in any case. */
const QUIET_ROUNDS = 10;

/** Wakes the watch soon after executions were captured. One run covers all of them, so a burst causes a single run. */
@Injectable()
export class SkillWatchJob implements Wakeable {
  private hasNewExecutions = true;
  private quietRounds = 0;

  constructor(
    private readonly watch: SkillWatch,
    private readonly judge: DeliveryJudge,
  ) {}

  /** Called when executions were captured. */
  wake(): void {
    this.hasNewExecutions = true;
  }

  @Interval(EVERY_MS)
  tick(): void {
    this.quietRounds += 1;
    if (!this.hasNewExecutions && this.quietRounds < QUIET_ROUNDS) return;
    this.hasNewExecutions = false;
    this.quietRounds = 0;
    this.judge.wake();
    this.watch.wake();
  }
}
