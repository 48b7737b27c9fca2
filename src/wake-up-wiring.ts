import { Injectable } from '@nestjs/common';
import { CaptureWorker } from './capture/analysis/capture-worker.service.js';
import { SkillWatchJob } from './effect/skill-watch.job.js';
import { SECOND_MS } from './platform/base/durations.js';
import { PromotionWorker } from './promote/promotion-worker.service.js';
import { ProposerWorker } from './propose/lessons/proposer-worker.service.js';
import { SessionSummaries } from './sessions/summaries/session-summaries.service.js';

/** Reports arrive in numbers, and the lessons that they teach are stored first. */
const CHECK_DELAY_MS = 2 * SECOND_MS;

/**
 * Wires the wake-ups that the order of the folders does not allow as direct calls. All other wake-ups are calls of
 * `wake` from a folder to one above it; docs/architecture.md lists them.
 */
@Injectable()
export class WakeUpWiring {
  constructor(
    captureWorker: CaptureWorker,
    proposing: ProposerWorker,
    skillWatch: SkillWatchJob,
    summaries: SessionSummaries,
    promoting: PromotionWorker,
  ) {
    const check = { wake: () => promoting.wakeAfter(CHECK_DELAY_MS) };
    captureWorker.wakeAfterBatch(proposing, skillWatch, summaries, check);
  }
}
