import { Injectable } from '@nestjs/common';
import { Capturing } from './capture/analysis/capturing.service.js';
import { SkillWatchJob } from './effect/skill-watch.job.js';
import { Proposing } from './propose/lessons/proposing.service.js';

/**
 * Which work wakes which, where the order of the folders forbids the call: here, and nowhere else. All other wake-ups
 * are calls of `wake` from a folder to one above it; docs/architecture.md lists them.
 */
@Injectable()
export class WakeUps {
  constructor(capturing: Capturing, proposing: Proposing, skillWatch: SkillWatchJob) {
    capturing.followedBy(proposing, skillWatch);
  }
}
