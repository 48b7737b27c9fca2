import type { Tellable } from '../../memory/store/readable.js';
import { sumOf } from '../../platform/base/sum.js';
import { diversify } from '../ranking/diversity.js';
import { type Found, type RankedMemory, rankFound, type Weights } from '../ranking/finding.js';
import { type Filtered, filterEntries } from '../ranking/non-inferable.js';
import { pack } from '../ranking/packing.js';
import { RANKING, type Rank, type Ranked } from '../ranking/ranking.js';
import { fieldsOf, type RecallMessage, renderRecords } from '../ranking/rendering.js';
import type { ToldBefore } from '../ranking/session-told.js';
import { estimateTokens } from '../ranking/token-estimate.js';

export interface RecollectionOptions {
  /** Whose own memories count more. */
  readonly agentId: string;
  readonly now: Date;
  readonly weights: Weights;
  /** What is less relevant is not told. */
  readonly minRelevance: number;
  /** What the session knows, and what it may still be told. */
  readonly told: ToldBefore;
  /** What was found out while finding. */
  readonly warnings: readonly string[];
  /** Records that the caller handed in; they come first. */
  readonly handedIn: readonly Readonly<Record<string, string>>[];
  readonly tokenBudget: number;
  readonly limit: number;
  /** Leave near-repetitions out in favour of other memories. */
  readonly diversify: boolean;
  readonly role: RecallMessage['role'];
  readonly nonce: string;
  /** Which entries may be told. */
  readonly keeps: (entry: Tellable) => boolean;
  /** What somebody chose of it, best first; without a choice, the ranking and diversity choose. */
  readonly selected?: readonly string[] | undefined;
}

/** What may be told, before anything is chosen of it. */
export interface Narrowed {
  readonly found: readonly Found[];
  readonly ranked: readonly Ranked<RankedMemory>[];
  readonly filtered: Filtered<Ranked<RankedMemory>>;
  /** What the session does not know yet, best first. */
  readonly fresh: readonly Ranked<RankedMemory>[];
}

export type LeftOut =
  | 'below_threshold'
  | 'filtered'
  | 'told_before'
  | 'not_selected'
  | 'beyond_limit'
  | 'over_budget'
  | 'session_full';

export interface Told extends Pick<Found, 'entry' | 'places'> {
  readonly rank: Rank;
}

export interface Recollection {
  readonly messages: readonly RecallMessage[];
  readonly told: readonly Told[];
  /** How many of the records that were handed in are told. */
  readonly handedIn: number;
  readonly leftOut: readonly { readonly entry: Tellable; readonly because: LeftOut }[];
  /** Of all messages together, framing included. */
  readonly tokens: number;
  readonly warnings: readonly string[];
}

/**
 * From what was found to what is sent (spec R2): rank, drop what is below the threshold, filter, diversify, pack.
 * The filter comes before diversity, so that what is hidden never pushes anything aside.
 */
export const recollect = (found: readonly Found[], options: RecollectionOptions): Recollection =>
  tell(narrow(found, options), options);

export function narrow(found: readonly Found[], options: RecollectionOptions): Narrowed {
  const ranked = rankFound(found, options.agentId, options.now, options.weights, {
    ...RANKING,
    minRelevance: options.minRelevance,
  });
  const filtered = filterEntries(ranked, ({ entry }) => options.keeps(entry));
  return { found, ranked, filtered, fresh: filtered.kept.filter(({ id }) => !options.told.ids.has(id)) };
}

export function tell({ found, ranked, filtered, fresh }: Narrowed, options: RecollectionOptions): Recollection {
  const { selected } = options;
  const open = selected ? selected.flatMap((id) => fresh.find((one) => one.id === id) ?? []) : fresh;
  const chosen = options.diversify && !selected ? diverse(open, options.limit) : open.slice(0, options.limit);
  const recordsOf = (memories: readonly RankedMemory[]) => memories.map(({ entry }) => fieldsOf(entry, options.now));
  const render = (records: RecollectionOptions['handedIn']) => renderRecords(records, options.nonce, options.role);
  const handedIn = pack(options.handedIn, options.tokenBudget, (records) => tokensOf(render(records)));
  // What is measured is mostly what is sent, and rendering takes longer than all the rest.
  const rendered = new Map<string, readonly RecallMessage[]>();
  const messagesOf = (memories: readonly RankedMemory[]): readonly RecallMessage[] => {
    const key = memories.map(({ id }) => id).join(' ');
    const messages = rendered.get(key) ?? render([...handedIn, ...recordsOf(memories)]);
    rendered.set(key, messages);
    return messages;
  };
  const fitting = pack(chosen, options.tokenBudget, (memories) => tokensOf(messagesOf(memories)));
  const taken = pack(fitting, options.told.bytesLeft, (memories) => bytesOf(messagesOf(memories)));
  const messages = messagesOf(taken);
  const stages: readonly (readonly [readonly RankedMemory[], LeftOut])[] = [
    [ranked, 'below_threshold'],
    [filtered.kept, 'filtered'],
    [fresh, 'told_before'],
    [open, 'not_selected'],
    [chosen, 'beyond_limit'],
    [fitting, 'over_budget'],
    [taken, 'session_full'],
  ];
  return {
    messages,
    handedIn: handedIn.length,
    told: taken.map(({ entry, places, rank }) => ({ entry, places, rank })),
    leftOut: found.flatMap(({ entry }) => {
      const lost = stages.find(([kept]) => !kept.some(({ id }) => id === entry.id));
      return lost ? [{ entry, because: lost[1] }] : [];
    }),
    tokens: tokensOf(messages),
    warnings: [
      ...options.warnings,
      ...(filtered.warning === undefined ? [] : [filtered.warning]),
      ...(handedIn.length < options.handedIn.length ? [NOT_ALL_HANDED_IN] : []),
    ],
  };
}

/** As they are sent, in UTF-8. */
export const bytesOf = (messages: readonly RecallMessage[]): number =>
  sumOf(messages, ({ content }) => Buffer.byteLength(content));

const tokensOf = (messages: readonly RecallMessage[]): number =>
  sumOf(messages, ({ content }) => estimateTokens(content) + TOKENS_OF_A_MESSAGE);

const NOT_ALL_HANDED_IN = 'Not everything that was handed in fits into the token budget.';

/** What a model's message costs beside its text: its role and the marks around it. */
export const TOKENS_OF_A_MESSAGE = 4;

function diverse(ranked: readonly Ranked<RankedMemory>[], limit: number): Ranked<RankedMemory>[] {
  const items = ranked.map((memory) => ({ memory, score: memory.rank.combined, text: textOf(memory.entry) }));
  return diversify(items, limit).map(({ memory }) => memory);
}

const textOf = ({ lesson }: Tellable): string =>
  [lesson.discovery, lesson.activation.condition, lesson.activation.action, ...lesson.steps].join(' ');
