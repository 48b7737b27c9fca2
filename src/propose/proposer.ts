import type { AnalysisPayload } from '../capture/payload.schema.js';
import type { Lesson } from '../memory/lesson.schema.js';

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Why nothing was proposed; each is counted by its own name (spec L5). */
export type NoLesson = 'no_update' | 'low_confidence' | 'malformed' | 'empty' | 'refused' | 'truncated';

export type Proposed =
  | { readonly outcome: 'lesson'; readonly lesson: Lesson; readonly usage?: Usage }
  | { readonly outcome: 'none'; readonly reason: NoLesson; readonly usage?: Usage }
  /** The model could not be asked: the rules write the lesson, which is marked as awaiting the proposer. */
  | { readonly outcome: 'unavailable'; readonly reason: string };

/** Turns an analysis payload into a lesson. Never the agent that ran; one implementation per way of doing it. */
export interface LessonProposer {
  /** Recorded with every lesson: the implementation, its model and the version of its prompt. */
  readonly name: string;
  propose(payload: AnalysisPayload): Promise<Proposed>;
}
