import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { REFUSAL_KINDS, type RefusalKind } from './proposed-lesson.schema.js';

export interface Usage {
  /** Tokens that were neither written to the provider's cache nor read from it. */
  readonly inputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
}

/** The model declines, for a reason of this kind. */
export const declined = <K extends RefusalKind>(kind: K): `declined_${K}` => `declined_${kind}`;

/** The model found nothing to learn. */
const NOTHING_TO_LEARN = ['no_update', ...REFUSAL_KINDS.map((kind) => declined(kind))] as const;

/** Why an answer has no lesson; each reason is counted by its own name. */
export const NO_LESSON_REASONS = [
  ...NOTHING_TO_LEARN,
  'low_confidence',
  'malformed',
  'empty',
  'refused',
  'truncated',
  'unfinished',
  // It recommends a command that the execution did not show to work.
  'unobserved_command',
  // It says what the execution does not show.
  'ungrounded',
  // It says what no lesson may say, such as to skip a check.
  'lint',
] as const;
export type NoLessonReason = (typeof NO_LESSON_REASONS)[number];

/** Every other reason says that the answer is of no use, and nothing about the execution. */
export const isNothingToLearn = (reason: string): boolean => NOTHING_TO_LEARN.some((one) => one === reason);

export interface Unavailable {
  readonly outcome: 'unavailable';
  readonly reason: string;
  /** How long the provider asks us to wait, if it says so. */
  readonly retryAfterMs?: number;
  /** True if the provider may have made and charged an answer that did not arrive. */
  readonly mayBeCharged?: boolean;
}

export type ProposerResult =
  | { readonly outcome: 'lesson'; readonly lesson: Lesson; readonly usage?: Usage }
  | { readonly outcome: 'none'; readonly reason: NoLessonReason; readonly usage?: Usage }
  /** The model could not be asked: the rules write a placeholder lesson, marked as awaiting the proposer. */
  | Unavailable;

/**
 * Turns an analysis payload into a lesson. It is never the agent that ran. There is one implementation for each way.
 */
export interface LessonProposer {
  /** Recorded with every lesson: the implementation, its model and the version of its prompt. */
  readonly name: string;
  /** Only a model has a price. */
  readonly model?: PricedModel;
  /** Set if a backlog can be sent as a batch, for less. */
  readonly batches?: ModelBatches;
  propose(payload: AnalysisPayload): Promise<ProposerResult>;
}

export interface PricedModel {
  readonly name: string;
  /** Returns the maximum usage of one call for this payload, which is reserved before the call. */
  maxUsage(payload: AnalysisPayload): Usage;
}

export interface BatchQuestion {
  /** The answer carries the same id. */
  readonly id: string;
  readonly payload: AnalysisPayload;
}

export interface BatchAnswer {
  readonly id: string;
  readonly answer: ProposerResult;
}

/** What is known about a batch whose submission was interrupted. */
export interface BatchLookup {
  readonly requests: number;
  /** The interval in which the provider must have received it, by our clock. */
  readonly from: Date;
  readonly to: Date;
  /** The provider's ids of all other batches. */
  readonly knownIds: ReadonlySet<string>;
}

export interface ModelBatches {
  /** Returns the provider's id of the batch. */
  submit(
    questions: readonly BatchQuestion[],
  ): Promise<{ readonly outcome: 'submitted'; readonly id: string } | Unavailable>;
  /**
   * Returns the only batch at the provider that matches; `none` if there is no match, or several. A foreign batch does
   * no harm: its answers have ids that no question has.
   */
  find(
    sent: BatchLookup,
  ): Promise<{ readonly outcome: 'found'; readonly id: string } | { readonly outcome: 'none' } | Unavailable>;
  /** Answers come in any order. An answer may be missing, and an answer with an unknown id may come. */
  poll(
    id: string,
  ): Promise<
    | { readonly outcome: 'in_progress' }
    | { readonly outcome: 'ended'; readonly answers: AsyncIterable<BatchAnswer> }
    | Unavailable
  >;
}
