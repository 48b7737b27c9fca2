/** A row of a private lesson, live or ended, as far as the figures need it. */
export interface StoredLesson {
  readonly id: string;
  readonly agentId: string;
  readonly failureKey: string | null;
  readonly remedyKey: string | null;
  readonly discovery: string;
  readonly action: string;
  readonly witnesses: number;
  readonly isLive: boolean;
  readonly supersededById: string | null;
  readonly endReason: string | null;
  /** A consolidation run wrote it, or ended it. */
  readonly isWrittenByRun: boolean;
  readonly isEndedByRun: boolean;
}

/** The lesson that took over the words of another one, or both of them. */
const TAKEN_OVER = new Set(['merged', 'covered', 'dated']);

/** What was live before the consolidation. */
export const liveBefore = (lessons: readonly StoredLesson[]): StoredLesson[] =>
  lessons.filter(({ isLive, isWrittenByRun, isEndedByRun }) => !isWrittenByRun && (isLive || isEndedByRun));

export const liveAfter = (lessons: readonly StoredLesson[]): StoredLesson[] => lessons.filter(({ isLive }) => isLive);

/** Follows a lesson to the live one that says what it said; undefined if there is none, or if it was found wrong. */
export function descendantOf(id: string, lessons: ReadonlyMap<string, StoredLesson>): StoredLesson | undefined {
  const end = lastOf(id, lessons, ({ endReason }) => TAKEN_OVER.has(endReason ?? ''));
  return end?.isLive === true ? end : undefined;
}

/** The lessons of before without a live descendant that ended for another reason than to be pruned. */
export function unrepresentedLessons(lessons: readonly StoredLesson[]): StoredLesson[] {
  const byId = new Map(lessons.map((one) => [one.id, one]));
  return liveBefore(lessons).filter(({ id }) => {
    const end = lastOf(id, byId, () => true);
    return end === undefined || !(end.isLive || end.endReason === 'pruned');
  });
}

function lastOf(
  id: string,
  lessons: ReadonlyMap<string, StoredLesson>,
  follows: (lesson: StoredLesson) => boolean,
): StoredLesson | undefined {
  const seen = new Set<string>();
  for (let at = id; !seen.has(at); ) {
    seen.add(at);
    const lesson = lessons.get(at);
    if (lesson === undefined || lesson.isLive || lesson.supersededById === null || !follows(lesson)) return lesson;
    at = lesson.supersededById;
  }
  return undefined;
}
