import { byId } from '../../memory/lessons/retention-candidate.js';
import type { LessonEnding, MergeableLesson, MergePlan } from '../../memory/merging/mergeable-lesson.js';
import { beyondBounds, type IndexLine, type IndexSize, indexSize } from './bounds.js';
import { type Contradiction, findContradictions } from './contradictions.js';
import { type PlannedMerge, planMerges } from './merges.js';
import { statementOf } from './statement.js';

export interface ConsolidationPlan extends MergePlan {
  readonly merges: readonly PlannedMerge[];
  readonly contradictions: readonly Contradiction[];
  readonly before: IndexSize;
  readonly after: IndexSize;
}

/** A line of the index after the run, and the merge that writes it. */
interface PlannedLine extends IndexLine {
  readonly merge?: PlannedMerge;
}

/**
 * What a run does with the live lessons of one agent. Pure: the same lessons give the same plan. `newId` gives the id of
 * the lesson that replaces others, from the id of the one whose words it has.
 */
export function planConsolidation(
  lessons: readonly MergeableLesson[],
  newId: (base: string) => string,
): ConsolidationPlan {
  const store = [...lessons].sort(byId);
  // What happened twice is two events.
  const own = store.filter(
    ({ isCopy, isPlaceholder, category }) => !isCopy && !isPlaceholder && category !== 'EPISODIC',
  );
  const answered = own.filter(({ answeredBy, stands }) => answeredBy !== null && !stands);
  const statements = own.filter((one) => !answered.includes(one)).map(statementOf);
  const contradictions = findContradictions(statements);
  const wrong = new Set([...contradictions.flatMap(({ ended }) => ended ?? []), ...answered].map(({ id }) => id));
  // Who asks their owner about two lessons must not find one of them gone.
  const asked = new Set(contradictions.filter(({ kept }) => !kept).flatMap((one) => one.lessons.map(({ id }) => id)));
  const planned = planMerges(
    statements.filter(({ of }) => !wrong.has(of.id) && !asked.has(of.id)),
    newId,
  );
  // What ends a claim must not end in the same run.
  const keeps = new Set([...asked, ...answered.flatMap(({ answeredBy }) => answeredBy ?? [])]);
  const lines = linesAfter(store, planned, wrong).map((line) => ({
    ...line,
    isKept: (line.merge?.from ?? [line.lesson]).some(({ id }) => keeps.has(id)),
  }));
  const pruned = beyondBounds(lines);
  const beyond = new Set(pruned);
  const kept = lines.filter((line) => !beyond.has(line));
  // A merge whose result would be pruned at once is not made: its lessons are pruned.
  const dropped = new Set(pruned.flatMap(({ merge }) => merge ?? []));
  return {
    merges: planned.filter((merge) => !dropped.has(merge)),
    contradictions,
    endings: [
      ...contradictions.flatMap(endingOf),
      ...answered.map((lesson): LessonEnding => ({ lesson, reason: 'answered', by: lesson.answeredBy })),
      ...pruned.flatMap(prunedLessons),
    ],
    before: indexSize(store.map(({ lesson }) => ({ text: lesson.discovery }))),
    after: indexSize(kept),
  };
}

/** The index as it is after the merges: one line for each live lesson. */
function linesAfter(
  store: readonly MergeableLesson[],
  merges: readonly PlannedMerge[],
  wrong: ReadonlySet<string>,
): PlannedLine[] {
  const gone = new Set([...wrong, ...merges.flatMap(({ from }) => from.map(({ id }) => id))]);
  const kept = new Map(merges.filter(({ isNew }) => !isNew).map((merge) => [merge.into, merge]));
  return [
    ...store
      .filter(({ id }) => !gone.has(id))
      .map((lesson) => lineOf(lesson, lesson.lesson.discovery, [lesson, ...(kept.get(lesson.id)?.from ?? [])])),
    ...merges
      .filter(({ isNew }) => isNew)
      .map((merge): PlannedLine => ({ ...lineOf(merge.base, merge.lesson.discovery, merge.from), merge })),
  ];
}

const lineOf = (lesson: MergeableLesson, text: string, all: readonly MergeableLesson[]): IndexLine => ({
  text,
  lesson,
  relevanceCount: Math.max(...all.map(({ relevanceCount }) => relevanceCount)),
  witnesses: new Set(all.flatMap(({ witnesses }) => witnesses)).size,
});

const endingOf = ({ kept, ended }: Contradiction): LessonEnding[] =>
  kept && ended ? [{ lesson: ended, reason: 'contradicted', by: kept.id }] : [];

const prunedLessons = ({ lesson, merge }: PlannedLine): LessonEnding[] =>
  (merge?.from ?? [lesson]).map((one) => ({ lesson: one, reason: 'pruned', by: null }));

/** The lessons that end without a live descendant and without a reason. None, unless a rule is wrong. */
export function unrepresented(lessons: readonly MergeableLesson[], plan: MergePlan): string[] {
  const into = new Map(plan.merges.flatMap((merge) => merge.from.map(({ id }) => [id, merge.into] as const)));
  // What answers a lesson may be an approved skill.
  const reasons = new Map(plan.endings.map(({ lesson, reason, by }) => [lesson.id, reason === 'answered' ? null : by]));
  const live = new Set([...lessons.map(({ id }) => id), ...plan.merges.map((merge) => merge.into)]);
  for (const id of [...into.keys(), ...reasons.keys()]) live.delete(id);
  for (const merge of plan.merges) if (merge.isNew) live.add(merge.into);
  const isFollowed = (id: string, seen = 0): boolean => {
    if (live.has(id) || reasons.get(id) === null) return true;
    const next = into.get(id) ?? reasons.get(id);
    return next !== undefined && next !== null && next !== id && seen < 10 && isFollowed(next, seen + 1);
  };
  return lessons.map(({ id }) => id).filter((id) => !isFollowed(id));
}
