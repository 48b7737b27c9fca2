import { Inject, Injectable, Logger } from '@nestjs/common';
import { AnalysisQueue, type LeasedPayload } from '../../capture/analysis/analysis-queue.service.js';
import { RequestPriority } from '../../platform/background/request-priority.js';
import { defineWorker } from '../../platform/background/worker.js';
import { SECOND_MS } from '../../platform/base/durations.js';
import { stackOf } from '../../platform/base/error-text.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { ProposerQuestions } from '../questions/proposer-questions.service.js';
import { LessonResultHandler } from './lesson-result-handler.service.js';

/** Turns captured payloads into lessons, one payload after the other. The payload rows are the queue. */
@Injectable()
export class ProposerWorker extends defineWorker({ every: 5 * SECOND_MS }) {
  private readonly logger = new Logger(ProposerWorker.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly questions: ProposerQuestions,
    private readonly resultHandler: LessonResultHandler,
    private readonly payloads: AnalysisQueue,
    private readonly priority: RequestPriority,
  ) {
    super();
  }

  override wake(): void {
    if (this.config.proposerEnabled) super.wake();
  }

  /** Returns false when no payload is left that may be proposed now. */
  protected async step(): Promise<boolean> {
    await this.priority.waitForRequests(this);
    const payload = await this.payloads.leaseNext();
    if (!payload) return false;
    try {
      return await this.propose(payload);
    } catch (error) {
      const reason = error instanceof Error ? error.name : 'error';
      this.logger.error(stackOf(error));
      await this.payloads.release(payload, `failed: ${reason}`, this.resultHandler.nextAttemptAt(payload));
      return true;
    }
  }

  private async propose(payload: LeasedPayload): Promise<boolean> {
    if (!(await this.resultHandler.isStillOpen(payload))) return true;
    if (await this.resultHandler.addToKnownLesson(payload)) return true;
    const reply = await this.questions.ask(payload);
    if (reply.outcome === 'rate_limited') {
      await this.payloads.release(payload, 'waits for the rate limit', reply.until);
      return false;
    }
    if (reply.outcome === 'unavailable') await this.resultHandler.storePlaceholder(payload, reply);
    else await this.resultHandler.handleAnswer(payload, reply);
    return true;
  }
}
