import { byId, lastUsedAt } from '../../memory/lessons/retention-candidate.js';
import type { MergeableLesson } from '../../memory/merging/mergeable-lesson.js';
import { CORE_NOTES } from '../../memory/store/recallable-memory.js';

export interface IndexBounds {
  readonly lines: number;
  readonly bytes: number;
}

/** Most of what is always loaded: the lines and bytes of the index of a memory. Reference: 200 lines and 25 KB. */
export const INDEX_BOUNDS: IndexBounds = { lines: 200, bytes: 25 * 1024 };

/** A line of the index of a memory: what a lesson is about. */
export interface IndexLine {
  readonly text: string;
  /** The lesson whose use and foundation decide how long it stays. */
  readonly lesson: MergeableLesson;
  /** Uses and witnesses, also of the lessons that it replaces. */
  readonly relevanceCount: number;
  readonly witnesses: number;
  /** True while the owner of its agent is asked about it, and if it ends a claim in this run. */
  readonly isKept?: boolean;
}

export interface IndexSize {
  readonly lessons: number;
  readonly lines: number;
  readonly bytes: number;
}

export function indexSize(lines: readonly Pick<IndexLine, 'text'>[]): IndexSize {
  return { lessons: lines.length, lines: lines.length, bytes: lines.reduce((sum, one) => sum + bytesOf(one), 0) };
}

/** Selects the lines to leave out until the rest is within the bounds, the least useful first; pinned ones stay. */
export function beyondBounds<T extends IndexLine>(lines: readonly T[], bounds = INDEX_BOUNDS): T[] {
  let { lines: count, bytes } = indexSize(lines);
  const selected: T[] = [];
  for (const line of lines.filter(isPrunable).sort(leastUsefulFirst)) {
    if (count <= bounds.lines && bytes <= bounds.bytes) break;
    selected.push(line);
    count -= 1;
    bytes -= bytesOf(line);
  }
  return selected;
}

/** Core notes have a budget of their own, and a placeholder waits for its lesson. */
const isPrunable = ({ lesson, isKept }: IndexLine): boolean =>
  isKept !== true && !lesson.pinned && !lesson.isPlaceholder && !isCore(lesson);

export const isCore = ({ category, lesson }: MergeableLesson): boolean =>
  category === CORE_NOTES.category && lesson.tags.includes(CORE_NOTES.tag);

const leastUsefulFirst = (a: IndexLine, b: IndexLine): number =>
  Number(a.lesson.stands) - Number(b.lesson.stands) ||
  a.relevanceCount - b.relevanceCount ||
  a.witnesses - b.witnesses ||
  usedAt(a) - usedAt(b) ||
  byId(a.lesson, b.lesson);

const usedAt = ({ lesson }: IndexLine): number =>
  Math.max(lastUsedAt({ ...lesson, scope: 'agent' }), lesson.lastWitnessedAt?.getTime() ?? 0);

const bytesOf = ({ text }: Pick<IndexLine, 'text'>): number => Buffer.byteLength(text, 'utf8') + 1;
