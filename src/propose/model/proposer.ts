import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';

export interface Usage {
  /** Neither written to the provider's cache nor read from it. */
  readonly inputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
}

/** Why nothing was proposed; each is counted by its own name (spec L5). */
export const NO_LESSON_REASONS = [
  'no_update',
  'low_confidence',
  'malformed',
  'empty',
  'refused',
  'truncated',
  'unfinished',
] as const;
export type NoLessonReason = (typeof NO_LESSON_REASONS)[number];

export interface Unavailable {
  readonly outcome: 'unavailable';
  readonly reason: string;
  /** How long the provider asks us to wait, where it says so. */
  readonly retryAfterMs?: number;
  /** True where an answer may have been made and charged, and only did not arrive. */
  readonly mayBeCharged?: boolean;
}

export type ProposerResult =
  | { readonly outcome: 'lesson'; readonly lesson: Lesson; readonly usage?: Usage }
  | { readonly outcome: 'none'; readonly reason: NoLessonReason; readonly usage?: Usage }
  /** The model could not be asked: the rules write the lesson, which is marked as awaiting the proposer. */
  | Unavailable;

/** Turns an analysis payload into a lesson. Never the agent that ran; one implementation per way of doing it. */
export interface LessonProposer {
  /** Recorded with every lesson: the implementation, its model and the version of its prompt. */
  readonly name: string;
  /** What a call costs is known of a model alone. */
  readonly model?: PricedModel;
  /** Where a backlog can be asked about at once, for less. */
  readonly batches?: ModelBatches;
  propose(payload: AnalysisPayload): Promise<ProposerResult>;
}

export interface PricedModel {
  readonly name: string;
  /** The most that one call for this payload may use: what is set aside for it before it is made. */
  maxUsage(payload: AnalysisPayload): Usage;
}

export interface BatchQuestion {
  /** Comes back with the answer. */
  readonly id: string;
  readonly payload: AnalysisPayload;
}

export interface BatchAnswer {
  readonly id: string;
  readonly answer: ProposerResult;
}

/** What is known of a batch whose sending was not heard the end of. */
export interface BatchLookup {
  readonly requests: number;
  /** When it must have been taken, by our clock. */
  readonly from: Date;
  readonly to: Date;
  /** Batches of the provider that are accounted for. */
  readonly knownIds: ReadonlySet<string>;
}

export interface ModelBatches {
  /** Gives the provider's name of the batch. */
  submit(
    questions: readonly BatchQuestion[],
  ): Promise<{ readonly outcome: 'submitted'; readonly id: string } | Unavailable>;
  /**
   * The one batch at the provider that this can be; `none` when there is none, or several. A foreign one does no harm:
   * its answers are to questions that nobody asked.
   */
  find(
    sent: BatchLookup,
  ): Promise<{ readonly outcome: 'found'; readonly id: string } | { readonly outcome: 'none' } | Unavailable>;
  /** Answers come in any order; one may be missing, and one that nobody asked for may come. */
  poll(
    id: string,
  ): Promise<
    | { readonly outcome: 'in_progress' }
    | { readonly outcome: 'ended'; readonly answers: AsyncIterable<BatchAnswer> }
    | Unavailable
  >;
}
