import type { Merge, MergeableEntry, MergePlan, ProjectEntries } from '../memory/upkeep/mergeable.js';
import { compareText } from '../platform/base/compare-text.js';
import { tellsOfSession } from '../sessions/entries/empty-summary.js';
import { PREAMBLE, preambleText } from '../sessions/entries/preamble.js';
import { type NoteStatement, noteConflict, noteStatementOf } from '../sessions/store/note-statement.js';
import { type IndexLine, type IndexSize, indexSize, linesAfter, withinBounds } from './bounds.js';

/** Entries that are compared with each other for contradictions, the newest: the work grows with their square. */
const MOST_COMPARED = 400;
const MERGED_KINDS: ReadonlySet<string> = new Set(['fact', 'decision', 'preference']);

/** Two entries that cannot both hold. */
interface EntryQuestion {
  readonly entries: readonly [MergeableEntry, MergeableEntry];
  readonly why: string;
}

export interface EntryPlan extends MergePlan<MergeableEntry> {
  readonly project: string | null;
  readonly questions: readonly EntryQuestion[];
  /** What is loaded of them: one line each, as the preamble shows them. */
  readonly before: IndexSize;
  readonly after: IndexSize;
}

/**
 * What a run does with the live entries of one agent in one project. Pure: the same entries in any order give the same
 * plan. It ends entries and writes none, so that a relative date stays beside the date of its entry. Open threads stay:
 * no rule knows safely that a later entry closed one.
 */
export function planEntries({ project, entries }: ProjectEntries, bounds?: IndexSize): EntryPlan {
  const store = [...entries].sort(newestFirst);
  const statements = store.filter(({ kind }) => MERGED_KINDS.has(kind)).map(noteStatementOf);
  const planned = mergesOf(statements);
  const gone = new Set(planned.flatMap(({ from }) => from));
  const questions = questionsOf(statements.filter(({ of }) => !gone.has(of)));
  // Who asks their owner about two entries must not find one of them gone, nor what a new session loads.
  const kept = new Set([
    ...questions.flatMap((one) => one.entries),
    ...store.filter((one) => !gone.has(one) && tellsOfSession(one)).slice(0, PREAMBLE.sessions),
  ]);
  const lines = linesAfter(store, planned, preambleText);
  const prunable = lines.filter(({ of }) => !kept.has(of) && !of.pinned && !of.stands && of.kind !== 'open-thread');
  const { merges, pruned, after } = withinBounds(lines, prunable.sort(recalledLongestAgo), bounds);
  return {
    of: 'entries',
    project,
    merges,
    endings: pruned,
    questions,
    before: indexSize(store.map(preambleText)),
    after,
  };
}

/** The pinned one stays, then a person's, then the newest. What a person wrote or restored never ends. */
function mergesOf(statements: readonly NoteStatement<MergeableEntry>[]): Merge<MergeableEntry>[] {
  const groups = new Map<string, MergeableEntry[]>();
  for (const { key: says, of } of statements) {
    const key = `${of.kind} ${says}`;
    groups.set(key, [...(groups.get(key) ?? []), of]);
  }
  return [...groups.values()].flatMap((group) => {
    const [base, ...others] = [...group].sort(bestFirst);
    const from = others.filter(({ stands }) => !stands);
    return base && from.length > 0 ? [{ reason: 'merged', into: base.id, base, written: undefined, from }] : [];
  });
}

function questionsOf(statements: readonly NoteStatement<MergeableEntry>[]): EntryQuestion[] {
  const compared = statements.slice(0, MOST_COMPARED);
  return compared.flatMap((a, at) =>
    compared.slice(at + 1).flatMap((b): EntryQuestion[] => {
      const why = noteConflict(a, b);
      return why === undefined ? [] : [{ entries: [a.of, b.of], why }];
    }),
  );
}

type Line = IndexLine<MergeableEntry, Merge<MergeableEntry>>;

const recalledLongestAgo = (a: Line, b: Line): number => recalledAt(a) - recalledAt(b) || compareText(a.of.id, b.of.id);

const recalledAt = ({ all }: Line): number =>
  Math.max(...all.map(({ lastRetrievedAt, createdAt }) => (lastRetrievedAt ?? createdAt).getTime()));

const newestFirst = (a: MergeableEntry, b: MergeableEntry): number =>
  b.createdAt.getTime() - a.createdAt.getTime() || compareText(a.id, b.id);

const bestFirst = (a: MergeableEntry, b: MergeableEntry): number =>
  Number(b.pinned) - Number(a.pinned) || Number(b.isPersons) - Number(a.isPersons) || newestFirst(a, b);
