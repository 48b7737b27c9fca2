import { scoreOf } from '../retrieval-score.js';
import { descendantOf, liveAfter, liveBefore, type StoredLesson, unrepresentedLessons } from './descendants.js';
import type { OvercomeFailure } from './overcome-failures.js';
import { type Repetition, repetitionIn, sumOf } from './repetition.js';
import type { Recalled } from './replaying-server.js';

/** A later failure with what the search returned for it before and after the consolidation. */
export interface AskedFailure {
  readonly failure: OvercomeFailure;
  readonly agentId: string;
  readonly before: Recalled;
  readonly after: Recalled;
}

/** Mean nDCG@10 of the queries that have a relevant lesson. */
export interface Retrieval {
  readonly queries: number;
  readonly before: number | null;
  readonly after: number | null;
}

export interface Figures {
  /** Live lessons. */
  readonly before: number;
  readonly after: number;
  readonly unrepresented: number;
  readonly recalls: number;
  readonly repetitionBefore: Repetition;
  readonly repetitionAfter: Repetition;
  /** Relevant is a lesson of the same failure and remedy; and a lesson of the same remedy, whatever failed. */
  readonly strict: Retrieval;
  readonly byRemedy: Retrieval;
}

type IsRelevant = (lesson: StoredLesson, failure: OvercomeFailure) => boolean;

const hasRemedy: IsRelevant = ({ remedyKey }, { remedyKeys }) => remedyKey !== null && remedyKeys.includes(remedyKey);
const hasBoth: IsRelevant = (lesson, failure) => lesson.failureKey === failure.failureKey && hasRemedy(lesson, failure);

export function figuresOf(lessons: readonly StoredLesson[], asked: readonly AskedFailure[]): Figures {
  return {
    before: liveBefore(lessons).length,
    after: liveAfter(lessons).length,
    unrepresented: unrepresentedLessons(lessons).length,
    recalls: asked.length,
    repetitionBefore: sumOf(asked.map(({ before }) => repetitionIn(before.lines))),
    repetitionAfter: sumOf(asked.map(({ after }) => repetitionIn(after.lines))),
    strict: retrievalOf(lessons, asked, hasBoth),
    byRemedy: retrievalOf(lessons, asked, hasRemedy),
  };
}

/**
 * The same queries before and after: after, the live descendant of a relevant lesson is relevant. A relevant lesson
 * without one stays in the ideal ranking, so that its loss lowers the figure.
 */
function retrievalOf(
  lessons: readonly StoredLesson[],
  asked: readonly AskedFailure[],
  isRelevant: IsRelevant,
): Retrieval {
  const byId = new Map(lessons.map((one) => [one.id, one]));
  const store = liveBefore(lessons);
  const scores = asked.flatMap(({ failure, agentId, before, after }) => {
    const relevant = store.filter((one) => one.agentId === agentId && isRelevant(one, failure)).map(({ id }) => id);
    if (relevant.length === 0) return [];
    const followed = relevant.map((id) => descendantOf(id, byId)?.id ?? id);
    return [{ before: scoreOf(before.ids, equal(relevant)), after: scoreOf(after.ids, equal(followed)) }];
  });
  const meanOf = (key: 'before' | 'after'): number | null =>
    scores.length === 0 ? null : scores.reduce((sum, one) => sum + one[key].ndcg10, 0) / scores.length;
  return { queries: scores.length, before: meanOf('before'), after: meanOf('after') };
}

const equal = (ids: readonly string[]): Map<string, number> => new Map(ids.map((id) => [id, 1]));
