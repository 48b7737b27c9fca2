import { Injectable } from '@nestjs/common';
import { CaptureWorker } from './capture/analysis/capture-worker.service.js';
import { SkillWatchJob } from './effect/skill-watch.job.js';
import { ProposerWorker } from './propose/lessons/proposer-worker.service.js';

/**
 * Which work wakes which, where the order of the folders forbids the call: here, and nowhere else. All other wake-ups
 * are calls of `wake` from a folder to one above it; docs/architecture.md lists them.
 */
@Injectable()
export class WakeUpWiring {
  constructor(captureWorker: CaptureWorker, proposing: ProposerWorker, skillWatch: SkillWatchJob) {
    captureWorker.wakeAfterBatch(proposing, skillWatch);
  }
}
