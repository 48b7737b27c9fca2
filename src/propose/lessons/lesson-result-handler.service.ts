import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { AnalysisQueue, type LeasedPayload } from '../../capture/analysis/analysis-queue.service.js';
import { jobActor } from '../../journal/actor.js';
import { type ExtractedLesson, Lessons } from '../../memory/lessons/lessons.service.js';
import { Lesson } from '../../memory/store/lesson.schema.js';
import { Clock } from '../../platform/base/clock.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { type Tx, WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { generalOf } from '../../untrusted/redaction/redact-deep.js';
import { isNothingToLearn, type Usage } from '../model/proposer.js';
import { ProposerQuestions, type ProposerReply } from '../questions/proposer-questions.service.js';
import { type OpenCall, ProposerBudgets } from '../spending/proposer-budgets.service.js';
import { executionEvidence, gatedLesson } from './lesson-gates.js';
import { lawfulLesson, lawOf } from './lesson-law.js';
import { keysOf, withEvidence } from './lesson-subject.js';
import { RulesProposer } from './rules.proposer.js';

const RETRY_MS = MINUTE_MS;
const LONGEST_RETRY_MS = 6 * HOUR_MS;
const PROPOSER_JOB = jobActor('proposer');

export type ProposerAnswer = Extract<ProposerReply, { outcome: 'lesson' | 'none' }>;
export type ProposerUnavailable = Extract<ProposerReply, { outcome: 'unavailable' }>;
interface Charge {
  readonly call?: OpenCall | undefined;
  readonly usage?: Usage | undefined;
}

/** Stores or discards the result for a payload: the proposer's answer, or a placeholder if it could not be asked. */
@Injectable()
export class LessonResultHandler {
  private readonly rules = new RulesProposer();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly questions: ProposerQuestions,
    private readonly budgets: ProposerBudgets,
    private readonly payloads: AnalysisQueue,
    private readonly lessons: Lessons,
  ) {}

  /** Returns false, and ends the payload, if the placeholder lesson of the rules was replaced in the meantime. */
  async isStillOpen(payload: LeasedPayload): Promise<boolean> {
    if (payload.placeholderId === null || (await this.lessons.isLive(payload.placeholderId))) return true;
    await this.discard(payload, 'a later report replaced the placeholder lesson');
    return false;
  }

  async handleAnswer(payload: LeasedPayload, answered: ProposerAnswer): Promise<void> {
    if (answered.outcome === 'lesson') await this.store(payload, answered);
    else await this.discard(payload, answered.reason, answered);
  }

  /**
   * The model is unavailable or over budget: the rules write a placeholder lesson, and the payload waits for the next
   * attempt.
   */
  async storePlaceholder(payload: LeasedPayload, { reason, until }: ProposerUnavailable): Promise<void> {
    if (this.isTooOld(payload)) return this.discard(payload, 'the model was unavailable for too long');
    const nextAttempt = this.nextAttemptAt(payload);
    const at = until > nextAttempt ? until : nextAttempt;
    const outcome = `awaiting the proposer (${reason})`;
    const [first, ...others] = payload.placeholderId ? [] : await this.lessonsByRules(payload);
    if (first === undefined) return this.payloads.release(payload, outcome, at);
    const placeholder = { ...first, awaitingProposer: true };
    const isStored = await this.database.transaction(async (tx) => {
      if (await this.witnessed(tx, payload, placeholder, others)) return true;
      if (!(await this.payloads.releaseWithPlaceholder(tx, payload, { id: first.id, outcome, at }))) return false;
      await this.lessons.storeExtracted(tx, PROPOSER_JOB, placeholder, others);
      return true;
    });
    if (isStored) this.lessons.announce(others.map(({ id }) => id));
  }

  /**
   * Adds the execution to a live lesson of its agent that says the same about its first failure, before a proposer is
   * asked. Returns false if there is none, or if the proposer may write a better one.
   */
  async addToKnownLesson(payload: LeasedPayload): Promise<boolean> {
    if (payload.placeholderId !== null) return false;
    const [first, ...others] = await this.lessonsByRules(payload);
    if (first === undefined) return false;
    const proposer = this.questions.proposer.name;
    const isKnown = await this.database.transaction((tx) =>
      this.witnessed(tx, payload, { ...first, proposer }, others),
    );
    if (isKnown) this.lessons.announce(others.map(({ id }) => id));
    return isKnown;
  }

  private async witnessed(
    tx: Tx,
    payload: LeasedPayload,
    extracted: ExtractedLesson,
    others: readonly ExtractedLesson[],
  ): Promise<boolean> {
    const { keys } = extracted;
    if (keys === undefined) return false;
    const known = await this.lessons.addWitness(tx, PROPOSER_JOB, { ...extracted, keys }, others);
    if (known === undefined) return false;
    // A lost lease ends the transaction without the witness.
    if (!(await this.payloads.complete(tx, payload, { stored: true, text: 'witness' })))
      throw new Error('the lease of the payload was lost');
    return true;
  }

  /** The lessons that the rules write, redacted, without those that a later execution of the session made untrue. */
  private async lessonsByRules(payload: LeasedPayload): Promise<ExtractedLesson[]> {
    const extracted: ExtractedLesson[] = [];
    for (const written of this.rules.lessonsOf(payload.body)) {
      const lesson = generalOf(written);
      if (!Lesson.safeParse(lesson).success || (await this.wasOvercomeLater(payload, lesson))) continue;
      const origin = this.lessonOrigin(payload, this.ids.uuid(), lesson);
      extracted.push({ ...origin, lesson, proposer: this.rules.name, awaitingProposer: false });
    }
    return extracted;
  }

  /** Backs off by one, two, four … minutes, up to six hours. */
  nextAttemptAt({ attempts }: LeasedPayload): Date {
    const delay = Math.min(RETRY_MS * 2 ** Math.min(attempts - 1, 20), LONGEST_RETRY_MS);
    return new Date(this.clock.now().getTime() + delay);
  }

  /**
   * Stores the lesson, ends its payload, records the cost and journals, in one transaction. A proposer answers about one
   * failure of the execution: the rules write about the others, at no cost.
   */
  private async store(
    payload: LeasedPayload,
    { lesson, usage, call }: Extract<ProposerReply, { outcome: 'lesson' }>,
  ): Promise<void> {
    const evidence = executionEvidence(payload.body);
    const lawful = lawfulLesson(withEvidence(payload.body, lesson), lawOf(payload.body, evidence.dossierText));
    if (lawful === undefined) return this.discard(payload, 'unobserved_command', { usage, call });
    // Redaction can empty a text, or make it longer than its limit.
    if (!isStorable(lawful)) return this.discard(payload, 'malformed', { usage, call });
    // The gates read the text as it was written: redaction removes what is hidden in it.
    const gated = gatedLesson(lawful, evidence);
    if ('refused' in gated) return this.discard(payload, gated.refused, { usage, call });
    const clean = generalOf(gated.lesson);
    if (await this.wasOvercomeLater(payload, clean)) return this.discard(payload, 'overcome_later', { usage, call });
    const extracted: ExtractedLesson = {
      ...this.lessonOrigin(payload, this.ids.uuid(), clean),
      lesson: clean,
      proposer: this.questions.proposer.name,
      awaitingProposer: false,
      ...(payload.placeholderId ? { replaces: payload.placeholderId } : {}),
      ...(usage ? { cost: { ...usage, usd: this.budgets.usd(usage, call) } } : {}),
    };
    const others = (await this.lessonsByRules(payload)).filter(({ keys }) => !isDeepStrictEqual(keys, extracted.keys));
    const stored = await this.database.transaction(async (tx) => {
      if (!(await this.payloads.complete(tx, payload, { stored: true, text: 'lesson' }))) return undefined;
      const learned = await this.lessons.storeExtracted(tx, PROPOSER_JOB, extracted, others);
      if (!learned) return undefined;
      if (call) await this.budgets.settle(call, { outcome: 'lesson', usage, memoryId: learned.id }, tx);
      return learned;
    });
    if (stored?.isNew) this.lessons.announce([stored.id]);
    if (stored) this.lessons.announce(others.map(({ id }) => id));
    if (!stored && call) await this.budgets.settle(call, { outcome: 'too_late', usage });
  }

  private async discard(payload: LeasedPayload, reason: string, { call, usage }: Charge = {}): Promise<void> {
    const { placeholderId } = payload;
    await this.database.transaction(async (tx) => {
      if (call) await this.budgets.settle(call, { outcome: reason, usage }, tx);
      const stored = placeholderId !== null && !isNothingToLearn(reason);
      if (!(await this.payloads.complete(tx, payload, { stored, text: reason }))) return;
      if (placeholderId) await this.endPlaceholder(tx, placeholderId, reason);
    });
    // A placeholder that is kept is a lesson from now on.
    if (placeholderId) this.lessons.announce([placeholderId]);
  }

  /** "Nothing to learn" discards the placeholder lesson; every other answer without a lesson keeps it permanently. */
  private async endPlaceholder(tx: Tx, id: string, reason: string): Promise<void> {
    if (isNothingToLearn(reason)) await this.lessons.discardPlaceholder(tx, PROPOSER_JOB, id, reason);
    else await this.lessons.keepPlaceholder(tx, PROPOSER_JOB, id, reason);
  }

  private lessonOrigin(payload: LeasedPayload, id: string, lesson: Lesson) {
    const { agentId, executionId, sessionId, body } = payload;
    const keys = keysOf(body, lesson);
    return { id, agentId, executionId, sessionId, kind: body.kind, ...(keys ? { keys } : {}) };
  }

  /** Returns whether a later execution of the session succeeded, so that "nothing worked" is no longer true. */
  private async wasOvercomeLater(payload: LeasedPayload, lesson: Lesson): Promise<boolean> {
    const keys = keysOf(payload.body, lesson);
    return keys?.remedyKey === null && (await this.payloads.succeededLater(payload));
  }

  private isTooOld({ createdAt }: LeasedPayload): boolean {
    return this.clock.now().getTime() - createdAt.getTime() > this.config.proposerAwaitDays * DAY_MS;
  }
}

const isStorable = (lesson: Lesson): boolean => Lesson.safeParse(generalOf(lesson)).success;
