import { Injectable, Logger } from '@nestjs/common';
import { ThreadPool, threadTask } from '../../platform/background/thread-pool.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { messageOf } from '../../platform/base/error-text.js';
import { textLength } from '../../platform/base/text-length.js';
import type { StoredExecution } from '../observations/observation.js';
import observeForStorage from './observing.thread.js';
import type { ObservedForStorage } from './stored-observations.js';

const OBSERVING = threadTask(observeForStorage, './observing.thread', import.meta.url);
/** The most costly report takes a second. */
const LIMIT_MS = 30_000;

/** Observes executions without blocking the event loop. */
@Injectable()
export class Observer {
  private readonly logger = new Logger(Observer.name);

  constructor(private readonly threads: ThreadPool) {}

  /** An execution over which a thread dies or hangs is observed as if it had no calls, so that it blocks no other. */
  async observe(execution: StoredExecution): Promise<ObservedForStorage> {
    const size = textLength(execution.report);
    try {
      return await this.threads.run(OBSERVING, execution, { key: Observer.name, size, limitMs: LIMIT_MS });
    } catch (error) {
      if (error instanceof DomainError) throw error;
      this.logger.warn(`the calls of execution ${execution.id} are not observed: ${messageOf(error)}`);
      return observeForStorage({ ...execution, report: { ...execution.report, toolCalls: [] } });
    }
  }
}
