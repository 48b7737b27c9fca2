import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';

export interface Usage {
  /** Tokens that were neither written to the provider's cache nor read from it. */
  readonly inputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
}

/** Why an answer has no lesson; each reason is counted by its own name. */
export const NO_LESSON_REASONS = [
  'no_update',
  'low_confidence',
  'malformed',
  'empty',
  'refused',
  'truncated',
  'unfinished',
  // It recommends a command that the execution did not show to work.
  'unobserved_command',
] as const;
export type NoLessonReason = (typeof NO_LESSON_REASONS)[number];

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
   * no harm: its answers have ids that no payload has.
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
