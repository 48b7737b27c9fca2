import type {
  EntryMerge,
  EntryMergePlan,
  MergeableEntry,
  ProjectEntries,
} from '../../memory/merging/mergeable-entry.js';
import { compareText } from '../../platform/base/compare-text.js';
import { tellsOfSession } from '../../sessions/entries/empty-summary.js';
import { PREAMBLE, preambleText } from '../../sessions/entries/preamble.js';
import { type NoteStatement, noteConflict, noteStatementOf } from '../../sessions/store/note-statement.js';
import { INDEX_BOUNDS, type IndexBounds } from './bounds.js';

/** Entries that are compared with each other for contradictions, the newest: the work grows with their square. */
const MOST_COMPARED = 400;
const MERGED_KINDS: ReadonlySet<string> = new Set(['fact', 'decision', 'preference']);

/** What the entries of a project take where they are loaded: one line each, as the preamble shows them. */
export interface EntriesSize {
  readonly entries: number;
  readonly bytes: number;
}

/** Two entries that cannot both hold. */
export interface EntryQuestion {
  readonly entries: readonly [MergeableEntry, MergeableEntry];
  readonly why: string;
}

export interface EntryPlan extends EntryMergePlan {
  readonly questions: readonly EntryQuestion[];
  readonly before: EntriesSize;
  readonly after: EntriesSize;
}

/**
 * What a run does with the live entries of one agent in one project. Pure: the same entries in any order give the same
 * plan. It ends entries and writes none, so that a relative date stays beside the date of its entry. Open threads stay:
 * no rule knows safely that a later entry closed one.
 */
export function planEntries({ project, entries }: ProjectEntries, bounds = INDEX_BOUNDS): EntryPlan {
  const store = [...entries].sort(newestFirst);
  const statements = store.filter(({ kind }) => MERGED_KINDS.has(kind)).map(noteStatementOf);
  const merges = mergesOf(statements);
  const gone = new Set(merges.flatMap(({ from }) => from));
  const questions = questionsOf(statements.filter(({ of }) => !gone.has(of)));
  // Who asks their owner about two entries must not find one of them gone.
  const asked = new Set(questions.flatMap((one) => one.entries));
  const live = store.filter((one) => !gone.has(one));
  const beyond = new Set(beyondBounds(live, asked, merges, bounds));
  const kept = live.filter((one) => !beyond.has(one));
  // A merge whose result would be pruned at once is not made: its entries are pruned.
  const dropped = merges.filter(({ into }) => beyond.has(into));
  return {
    project,
    merges: merges.filter(({ into }) => !beyond.has(into)),
    pruned: [...beyond, ...dropped.flatMap(({ from }) => from)].sort(newestFirst),
    questions,
    before: entriesSize(store),
    after: entriesSize(kept),
  };
}

/** The pinned one stays, then a person's, then the newest. What a person wrote or restored never ends. */
function mergesOf(statements: readonly NoteStatement<MergeableEntry>[]): EntryMerge[] {
  const groups = new Map<string, MergeableEntry[]>();
  for (const { key: says, of } of statements) {
    const key = `${of.kind} ${says}`;
    groups.set(key, [...(groups.get(key) ?? []), of]);
  }
  return [...groups.values()].flatMap((group) => {
    const [into, ...others] = [...group].sort(bestFirst);
    const from = others.filter(({ stands }) => !stands);
    return into && from.length > 0 ? [{ into, from }] : [];
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

/** The entries to leave out until the rest is within the bounds: the one that was recalled longest ago first. */
function beyondBounds(
  live: readonly MergeableEntry[],
  asked: ReadonlySet<MergeableEntry>,
  merges: readonly EntryMerge[],
  bounds: IndexBounds,
): MergeableEntry[] {
  const loaded = new Set(live.filter(tellsOfSession).slice(0, PREAMBLE.sessions));
  const from = new Map(merges.map((merge) => [merge.into, merge.from]));
  const recalledAt = (one: MergeableEntry): number => Math.max(...[one, ...(from.get(one) ?? [])].map(lastRecalled));
  let { entries, bytes } = entriesSize(live);
  const selected: MergeableEntry[] = [];
  const prunable = live.filter(
    (one) => !one.pinned && !one.stands && one.kind !== 'open-thread' && !asked.has(one) && !loaded.has(one),
  );
  for (const one of prunable.sort((a, b) => recalledAt(a) - recalledAt(b) || compareText(a.id, b.id))) {
    if (entries <= bounds.lines && bytes <= bounds.bytes) break;
    selected.push(one);
    entries -= 1;
    bytes -= bytesOf(one);
  }
  return selected;
}

/** The entries that end without a live one that says the same and without a reason. None, unless a rule is wrong. */
export function unrepresentedEntries({ entries }: ProjectEntries, { merges, pruned }: EntryMergePlan): string[] {
  const ended = new Set([...merges.flatMap(({ from }) => from), ...pruned]);
  const kept = merges.flatMap(({ into, from }) => (ended.has(into) || !entries.includes(into) ? from : []));
  return [...kept, ...[...ended].filter((one) => one.stands)].map(({ id }) => id);
}

export function entriesSize(entries: readonly MergeableEntry[]): EntriesSize {
  return { entries: entries.length, bytes: entries.reduce((sum, one) => sum + bytesOf(one), 0) };
}

const bytesOf = (one: MergeableEntry): number => Buffer.byteLength(preambleText(one), 'utf8') + 1;

const lastRecalled = ({ lastRecalledAt, createdAt }: MergeableEntry): number => (lastRecalledAt ?? createdAt).getTime();

const newestFirst = (a: MergeableEntry, b: MergeableEntry): number =>
  b.createdAt.getTime() - a.createdAt.getTime() || compareText(a.id, b.id);

const bestFirst = (a: MergeableEntry, b: MergeableEntry): number =>
  Number(b.pinned) - Number(a.pinned) || Number(b.isPersons) - Number(a.isPersons) || newestFirst(a, b);
