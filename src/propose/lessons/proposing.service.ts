import { Inject, Injectable, Logger } from '@nestjs/common';
import { type LeasedPayload, Payloads } from '../../capture/analysis/payloads.service.js';
import { RequestPriority } from '../../platform/background/request-priority.js';
import { BackgroundWork } from '../../platform/background/worker.js';
import { stackOf } from '../../platform/base/thrown.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { Asking } from '../questions/asking.service.js';
import { Conclusions } from './conclusions.service.js';

/** Turns what was captured into lessons, one payload after the other. The rows are the queue. */
@Injectable()
export class Proposing extends BackgroundWork {
  private readonly logger = new Logger(Proposing.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly asking: Asking,
    private readonly conclusions: Conclusions,
    private readonly payloads: Payloads,
    private readonly priority: RequestPriority,
  ) {
    super();
  }

  override wake(): void {
    if (this.config.proposerEnabled) super.wake();
  }

  /** False when nothing is left that may be asked now. */
  protected async step(): Promise<boolean> {
    await this.priority.quiet();
    const payload = await this.payloads.next();
    if (!payload) return false;
    try {
      return await this.propose(payload);
    } catch (error) {
      const reason = error instanceof Error ? error.name : 'error';
      this.logger.error(stackOf(error));
      await this.payloads.release(payload, `failed: ${reason}`, this.conclusions.later(payload));
      return true;
    }
  }

  private async propose(payload: LeasedPayload): Promise<boolean> {
    if (!(await this.conclusions.isStillOpen(payload))) return true;
    const asked = await this.asking.ask(payload);
    if (asked.outcome === 'too_fast') {
      await this.payloads.release(payload, 'waits for the rate limit', asked.until);
      return false;
    }
    if (asked.outcome === 'unavailable') await this.conclusions.standIn(payload, asked);
    else await this.conclusions.conclude(payload, asked);
    return true;
  }
}
