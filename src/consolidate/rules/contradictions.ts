import { byId } from '../../memory/lessons/retention-candidate.js';
import { compareFoundation, type MergeableLesson } from '../../memory/merging/mergeable.js';
import { NOTE_PROPOSER } from '../../memory/store/recallable-memory.js';
import { evidenceAt } from './merges.js';
import { excludeEachOther, type Statement } from './statement.js';

/** Lessons of one situation that are compared with each other, the newest first. */
const MOST_COMPARED = 400;

export interface Contradiction {
  readonly lessons: readonly [MergeableLesson, MergeableLesson];
  /** Undefined: nothing settles it, and the owner of the agent is asked. */
  readonly kept: MergeableLesson | undefined;
  readonly ended: MergeableLesson | undefined;
  readonly why: string;
}

/** Lessons that exclude each other: the better founded one stays, then the one with later evidence. */
export function findContradictions(statements: readonly Statement[]): Contradiction[] {
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
