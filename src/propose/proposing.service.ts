import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { Capturing } from '../capture/capturing.service.js';
import { type LeasedPayload, Payloads } from '../capture/payloads.service.js';
import { job } from '../journal/actor.js';
import { Lesson } from '../memory/lesson.schema.js';
import { Lessons } from '../memory/lessons.service.js';
import type { Config } from '../platform/config.js';
import { WorkerDatabase } from '../platform/database.js';
import { CONFIG } from '../platform/platform.module.js';
import { Worker } from '../platform/worker.js';
import { redactDeep } from '../untrusted/redact-deep.js';
import type { LessonProposer, Usage } from './proposer.js';
import { RulesProposer } from './rules.proposer.js';

export const PROPOSER = Symbol('PROPOSER');

const RETRY_MS = 60_000;

interface Writing {
  readonly lesson: Lesson;
  readonly proposer: string;
  readonly awaitingProposer: boolean;
  readonly usage?: Usage | undefined;
}

/** Turns what was captured into lessons, one payload after the other. The rows are the queue. */
@Injectable()
export class Proposing implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Proposing.name);
  private readonly worker = new Worker(Proposing.name, () => this.proposeNext());
  private readonly rules = new RulesProposer();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(PROPOSER) private readonly proposer: LessonProposer,
    private readonly database: WorkerDatabase,
    private readonly payloads: Payloads,
    private readonly lessons: Lessons,
    capturing: Capturing,
  ) {
    capturing.onCaptured(() => this.ring());
  }

  ring(): void {
    if (this.config.proposerEnabled) this.worker.ring();
  }

  idle(): Promise<void> {
    return this.worker.idle();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker.stop();
  }

  private async proposeNext(): Promise<boolean> {
    const payload = await this.payloads.next();
    if (!payload) return false;
    try {
      await this.propose(payload);
    } catch (error) {
      const reason = error instanceof Error ? error.name : 'error';
      this.logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
      await this.payloads.release(payload, `failed: ${reason}`, RETRY_MS * payload.attempts);
    }
    return true;
  }

  private async propose(payload: LeasedPayload): Promise<void> {
    const answer = await this.proposer.propose(payload.body);
    if (answer.outcome === 'lesson')
      return this.store(payload, { ...answer, proposer: this.proposer.name, awaitingProposer: false });
    if (answer.outcome === 'none') return this.discard(payload, answer.reason);
    this.logger.warn(`the proposer model cannot be asked (${answer.reason}); the rules write the lesson for now`);
    const byRules = await this.rules.propose(payload.body);
    if (byRules.outcome !== 'lesson')
      return this.payloads.release(payload, 'awaiting the proposer', RETRY_MS * payload.attempts);
    return this.store(payload, { ...byRules, proposer: this.rules.name, awaitingProposer: true });
  }

  /** The lesson, the end of its payload and the journal entry, or none of them. */
  private async store(payload: LeasedPayload, { lesson, proposer, awaitingProposer, usage }: Writing): Promise<void> {
    const { value: clean } = redactDeep(lesson);
    // Redacting can leave nothing of a text, or make it longer than its bound.
    if (!Lesson.safeParse(clean).success) return this.discard(payload, 'malformed');
    await this.database.transaction(async (tx) => {
      const held = await this.payloads.complete(tx, payload, {
        stored: true,
        text: awaitingProposer ? 'rules, awaiting the proposer' : 'lesson',
      });
      if (!held) return;
      await this.lessons.learn(tx, job('proposer'), {
        agentId: payload.agentId,
        executionId: payload.executionId,
        sessionId: payload.sessionId,
        kind: payload.body.kind,
        lesson: clean,
        proposer,
        awaitingProposer,
        ...(usage ? { cost: usage } : {}),
      });
    });
  }

  private async discard(payload: LeasedPayload, reason: string): Promise<void> {
    await this.database.transaction((tx) => this.payloads.complete(tx, payload, { stored: false, text: reason }));
  }
}
