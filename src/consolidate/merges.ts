import { byId } from '../memory/lessons/retention-candidate.js';
import type { Lesson } from '../memory/store/lesson.schema.js';
import {
  compareFoundation,
  type Merge,
  type MergeableLesson,
  type WrittenLesson,
  weakest,
} from '../memory/upkeep/mergeable.js';
import { datedLesson, type ReplacedDate } from './relative-dates.js';
import { covers, isCore, isSame, type Statement } from './statement.js';

/** Lessons of one situation that are compared with each other, the newest first: the work grows with their square. */
const MOST_COMPARED = 400;

export interface PlannedMerge extends Merge<MergeableLesson> {
  /** Relative dates of its words that became absolute. */
  readonly dates: readonly ReplacedDate[];
}

interface Group {
  readonly reason: 'merged' | 'covered';
  readonly base: Statement;
  readonly members: readonly Statement[];
}

/**
 * One lesson for what several say. What people and the database vouch for stands as it is, and the others end for it.
 * Otherwise a new lesson has the words of the best founded one, or of the general one, and the weakest provenance.
 */
export function planMerges(statements: readonly Statement[], newId: (base: string) => string): PlannedMerge[] {
  const groups = bucketsOf(statements).flatMap(groupsOf);
  const grouped = new Set(groups.flatMap(({ members }) => members.map(({ of }) => of.id)));
  const alone = statements.filter(({ of }) => !grouped.has(of.id) && !of.stands);
  return [...groups.flatMap((group) => mergeOf(group, newId)), ...alone.flatMap(({ of }) => datedAlone(of, newId))];
}

/** Lessons that can say the same: of one failure, or without one; core notes among themselves. */
function bucketsOf(statements: readonly Statement[]): Statement[][] {
  const buckets = new Map<string, Statement[]>();
  for (const one of statements) {
    const key = JSON.stringify([one.of.category, isCore(one.of), one.of.failureKey ?? '']);
    const bucket = buckets.get(key);
    if (bucket) bucket.push(one);
    else buckets.set(key, [one]);
  }
  return [...buckets.values()].map((bucket) => [...bucket].sort(newestFirst).slice(0, MOST_COMPARED));
}

function groupsOf(bucket: readonly Statement[]): Group[] {
  const classes = sameClasses(bucket);
  const groups: Group[] = [];
  const taken = new Set<Statement[]>();
  // The most general first, so that a case ends for the one that says most.
  for (const general of [...classes].sort(longestFirst)) {
    if (taken.has(general)) continue;
    const base = bestOf(general);
    const cases = classes.filter(
      (other) => other !== general && !taken.has(other) && other.every((one) => !one.of.stands && isCovered(base, one)),
    );
    taken.add(general);
    for (const one of cases) taken.add(one);
    const members = [...general, ...cases.flat()];
    if (members.length > 1) groups.push({ reason: cases.length > 0 ? 'covered' : 'merged', base, members });
  }
  return groups;
}

/** Same in pairs with every member, so that a chain of small differences never joins two different statements. */
function sameClasses(bucket: readonly Statement[]): Statement[][] {
  const classes: Statement[][] = [];
  for (const one of bucket) {
    const found = classes.find((members) => members.every((member) => isSame(member, one)));
    if (found) found.push(one);
    else classes.push([one]);
  }
  return classes;
}

/** The evidence of the general lesson is about the failure of the case, or holds all of its witnesses. */
function isCovered(general: Statement, one: Statement): boolean {
  if (!covers(general, one)) return false;
  if (general.failure !== undefined) return true;
  const known = new Set(general.of.witnesses);
  return one.of.witnesses.every((witness) => known.has(witness));
}

function mergeOf({ reason, base: { of: base }, members }: Group, newId: (base: string) => string): PlannedMerge[] {
  const from = members.filter(({ of }) => !of.stands).map(({ of }) => of);
  if (base.stands)
    return from.length === 0 ? [] : [{ reason, into: base.id, base, written: undefined, from, dates: [] }];
  const { lesson, replaced: dates } = datedLesson(base.lesson, base.createdAt);
  return [{ reason, into: newId(base.id), base, written: written(base, lesson, from), from, dates }];
}

function datedAlone(base: MergeableLesson, newId: (base: string) => string): PlannedMerge[] {
  const { lesson, replaced: dates } = datedLesson(base.lesson, base.createdAt);
  if (dates.length === 0) return [];
  return [{ reason: 'dated', into: newId(base.id), base, written: written(base, lesson, [base]), from: [base], dates }];
}

/** The lesson that replaces these: as new, as often used and as well founded as they are. */
function written(
  { category, controlTags, proposer }: MergeableLesson,
  lesson: Lesson,
  from: readonly MergeableLesson[],
): WrittenLesson {
  const latest = (times: readonly (Date | null)[]): Date =>
    new Date(Math.max(...times.map((at) => at?.getTime() ?? 0)));
  const retrieved = from.map(({ lastRetrievedAt }) => lastRetrievedAt);
  return {
    category,
    controlTags,
    proposer,
    lesson,
    provenance: weakest(from.map(({ provenance }) => provenance)),
    createdAt: latest(from.map(({ createdAt }) => createdAt)),
    relevanceCount: Math.max(...from.map(({ relevanceCount }) => relevanceCount)),
    lastRetrievedAt: retrieved.every((at) => at === null) ? null : latest(retrieved),
  };
}

/** Whose words stay: those that stand, then those that most executions showed, then the later ones. */
const bestOf = (members: readonly Statement[]): Statement =>
  members.reduce((best, one) => (compareEvidence(one.of, best.of) > 0 ? one : best));

function compareEvidence(a: MergeableLesson, b: MergeableLesson): number {
  const stands = Number(a.stands) - Number(b.stands) || (a.stands && b.stands ? compareFoundation(a, b) : 0);
  return (
    stands ||
    a.witnesses.length - b.witnesses.length ||
    Number(a.lesson.example !== undefined) - Number(b.lesson.example !== undefined) ||
    evidenceAt(a) - evidenceAt(b) ||
    byId(b, a)
  );
}

/** When a lesson was last seen to hold, in epoch milliseconds. */
export const evidenceAt = ({ lastWitnessedAt, createdAt }: MergeableLesson): number =>
  (lastWitnessedAt ?? createdAt).getTime();

const newestFirst = (a: Statement, b: Statement): number =>
  Number(b.of.stands) - Number(a.of.stands) || b.of.createdAt.getTime() - a.of.createdAt.getTime() || byId(a.of, b.of);

const longestFirst = ([a]: readonly Statement[], [b]: readonly Statement[]): number =>
  a && b ? b.action.words.size - a.action.words.size || byId(a.of, b.of) : 0;
