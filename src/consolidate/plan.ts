import { byId, lastUsedAt } from '../memory/lessons/retention-candidate.js';
import { NOTE_PROPOSER } from '../memory/store/recallable-memory.js';
import {
  compareFoundation,
  type Ending,
  type Mergeable,
  type MergeableLesson,
  type MergePlan,
} from '../memory/upkeep/mergeable.js';
import { type IndexLine, type IndexSize, indexSize, linesAfter, withinBounds } from './bounds.js';
import { evidenceAt, type PlannedMerge, planMerges } from './merges.js';
import { excludeEachOther, isCore, type Statement, statementOf } from './statement.js';

export interface ConsolidationPlan extends MergePlan<MergeableLesson> {
  readonly merges: readonly PlannedMerge[];
  readonly contradictions: readonly Contradiction[];
  readonly before: IndexSize;
  readonly after: IndexSize;
}

type Line = IndexLine<MergeableLesson, PlannedMerge>;

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
  const wrong = new Set([...contradictions.flatMap(({ ended }) => ended ?? []), ...answered]);
  // Who asks their owner about two lessons must not find one of them gone.
  const asked = new Set(contradictions.filter(({ kept }) => !kept).flatMap((one) => one.lessons));
  const planned = planMerges(
    statements.filter(({ of }) => !wrong.has(of) && !asked.has(of)),
    newId,
  );
  const lines = linesAfter(
    store.filter((one) => !wrong.has(one)),
    planned,
    textOf,
  );
  // What ends a claim must not end in the same run.
  const answers = new Set(answered.map(({ answeredBy }) => answeredBy));
  const isAnswer = ({ all }: Line): boolean => all.some(({ id }) => answers.has(id));
  const prunable = lines
    .filter((line) => !asked.has(line.of) && !isAnswer(line) && isPrunable(line.of))
    .sort(leastUsefulFirst);
  const { merges, pruned, after } = withinBounds(lines, prunable);
  return {
    of: 'lessons',
    merges,
    contradictions,
    endings: [
      ...contradictions.flatMap(endingOf),
      ...answered.map((memory): Ending<MergeableLesson> => ({ memory, reason: 'answered', by: memory.answeredBy })),
      ...pruned,
    ],
    before: indexSize(store.map(textOf)),
    after,
  };
}

export const textOf = ({ lesson }: MergeableLesson): string => lesson.discovery;

/** Core notes have a budget of their own, and a placeholder waits for its lesson. */
const isPrunable = (lesson: MergeableLesson): boolean => !lesson.pinned && !lesson.isPlaceholder && !isCore(lesson);

const leastUsefulFirst = (a: Line, b: Line): number =>
  Number(a.of.stands) - Number(b.of.stands) ||
  relevanceOf(a) - relevanceOf(b) ||
  witnessesOf(a) - witnessesOf(b) ||
  usedAt(a) - usedAt(b) ||
  byId(a.of, b.of);

const relevanceOf = ({ all }: Line): number => Math.max(...all.map(({ relevanceCount }) => relevanceCount));
const witnessesOf = ({ all }: Line): number => new Set(all.flatMap(({ witnesses }) => witnesses)).size;
const usedAt = ({ of }: Line): number =>
  Math.max(lastUsedAt({ ...of, scope: 'agent' }), of.lastWitnessedAt?.getTime() ?? 0);

const endingOf = ({ kept, ended }: Contradiction): Ending<MergeableLesson>[] =>
  kept && ended ? [{ memory: ended, reason: 'contradicted', by: kept.id }] : [];

/** The memories that end without a live descendant and without a reason. None, unless a rule is wrong. */
export function unrepresented(memories: readonly Mergeable[], { merges, endings }: MergePlan): string[] {
  const into = new Map(merges.flatMap((merge) => merge.from.map(({ id }) => [id, merge.into] as const)));
  // What answers a lesson may be an approved skill.
  const reasons = new Map(endings.map(({ memory, reason, by }) => [memory.id, reason === 'answered' ? null : by]));
  const live = new Set([...memories, ...merges.map(({ into: id }) => ({ id }))].map(({ id }) => id));
  for (const id of [...into.keys(), ...reasons.keys()]) live.delete(id);
  for (const merge of merges) if (merge.written) live.add(merge.into);
  const isFollowed = (id: string, seen = 0): boolean => {
    if (live.has(id) || reasons.get(id) === null) return true;
    const next = into.get(id) ?? reasons.get(id);
    return next !== undefined && next !== null && next !== id && seen < 10 && isFollowed(next, seen + 1);
  };
  return memories.map(({ id }) => id).filter((id) => !isFollowed(id));
}

/** Lessons of one situation that are compared with each other, the newest first. */
const MOST_COMPARED = 400;

interface Contradiction {
  readonly lessons: readonly [MergeableLesson, MergeableLesson];
  /** Undefined: nothing settles it, and the owner of the agent is asked. */
  readonly kept: MergeableLesson | undefined;
  readonly ended: MergeableLesson | undefined;
  readonly why: string;
}

/** Lessons that exclude each other: the better founded one stays, then the one with later evidence. */
function findContradictions(statements: readonly Statement[]): Contradiction[] {
  const found: Contradiction[] = [];
  const ended = new Set<string>();
  for (const bucket of situationsOf(statements))
    for (const [at, a] of bucket.entries())
      for (const b of bucket.slice(at + 1)) {
        if (ended.has(a.of.id) || ended.has(b.of.id) || !excludeEachOther(a, b)) continue;
        const settled = settle(a.of, b.of);
        if (settled.ended) ended.add(settled.ended.id);
        found.push(settled);
      }
  return found;
}

function situationsOf(statements: readonly Statement[]): Statement[][] {
  const situations = new Map<string, Statement[]>();
  for (const one of statements) {
    const known = situations.get(one.failure ?? '');
    if (known) known.push(one);
    else situations.set(one.failure ?? '', [one]);
  }
  return [...situations.values()].map((all) =>
    [...all]
      .sort((a, b) => b.of.createdAt.getTime() - a.of.createdAt.getTime() || byId(a.of, b.of))
      .slice(0, MOST_COMPARED),
  );
}

function settle(a: MergeableLesson, b: MergeableLesson): Contradiction {
  const lessons = byId(a, b) < 0 ? ([a, b] as const) : ([b, a] as const);
  const foundation = compareFoundation(a, b);
  const order = foundation || evidenceAt(a) - evidenceAt(b);
  const [kept, ended] = order > 0 ? [a, b] : [b, a];
  if (isNote(a) && isNote(b)) return ask(lessons, 'The agent wrote both itself.');
  if (order === 0) return ask(lessons, 'Both are founded alike, and their evidence is of the same time.');
  if (ended.stands) return ask(lessons, 'A person or independent evidence vouches for both.');
  const why = foundation ? 'It is better founded.' : 'Its evidence is later.';
  return { lessons, kept, ended, why };
}

const isNote = ({ proposer }: MergeableLesson): boolean => proposer === NOTE_PROPOSER;

const ask = (lessons: Contradiction['lessons'], why: string): Contradiction => ({
  lessons,
  why,
  kept: undefined,
  ended: undefined,
});
