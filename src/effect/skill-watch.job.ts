import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Capturing } from '../capture/analysis/capturing.service.js';
import { SkillWatch } from './skill-watch.service.js';

const EVERY_MS = 30_000;
/** Without news of this process, for what another one captured: every five minutes. */
const QUIET_ROUNDS = 10;

/** Rings soon after executions were captured; a look counts over many, so that a burst of them makes one look. */
@Injectable()
export class SkillWatchJob implements OnApplicationBootstrap {
  private news = true;
  private quiet = 0;

  constructor(
    private readonly capturing: Capturing,
    private readonly watch: SkillWatch,
  ) {}

  onApplicationBootstrap(): void {
    this.capturing.onCaptured(() => {
      this.news = true;
    });
  }

  @Interval(EVERY_MS)
  ring(): void {
    this.quiet += 1;
    if (!this.news && this.quiet < QUIET_ROUNDS) return;
    this.news = false;
    this.quiet = 0;
    this.watch.ring();
  }
}
