import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { sumBy } from '../../platform/base/sum.js';
import { diversify } from '../ranking/diversity.js';
import { type Filtered, filterEntries } from '../ranking/non-inferable.js';
import { pack } from '../ranking/packing.js';
import { RANKING, type Ranked, type RankingScore } from '../ranking/ranking.js';
import { fieldsOf, type RecallMessage, renderRecords } from '../ranking/rendering.js';
import type { DeliveredBefore } from '../ranking/session-history.js';
import { type FoundMemory, type RankedMemory, rankFound, type SourceWeights } from '../ranking/source-ranking.js';
import { estimateTokens } from '../ranking/token-estimate.js';

export interface AssemblyOptions {
  /** Whose own memories count more. */
  readonly agentId: string;
  readonly now: Date;
  readonly weights: SourceWeights;
  /** What is less relevant is not told. */
  readonly minRelevance: number;
  /** What the session knows, and what it may still be told. */
  readonly deliveredBefore: DeliveredBefore;
  /** What was found out while finding. */
  readonly warnings: readonly string[];
  /** Records that the caller handed in; they come first. */
  readonly requestContext: readonly Readonly<Record<string, string>>[];
  readonly tokenBudget: number;
  readonly limit: number;
  /** Leave near-repetitions out in favour of other memories. */
  readonly diversify: boolean;
  readonly role: RecallMessage['role'];
  readonly nonce: string;
  /** Which entries may be told. */
  readonly isAllowed: (entry: RecallableMemory) => boolean;
  /** What somebody chose of it, best first; without a choice, the ranking and diversity choose. */
  readonly selected?: readonly string[] | undefined;
}

/** What may be told, before anything is chosen of it. */
export interface RankedMemories {
  readonly found: readonly FoundMemory[];
  readonly ranked: readonly Ranked<RankedMemory>[];
  readonly filtered: Filtered<Ranked<RankedMemory>>;
  /** What the session does not know yet, best first. */
  readonly fresh: readonly Ranked<RankedMemory>[];
}

export type OmissionReason =
  | 'below_threshold'
  | 'filtered'
  | 'delivered_before'
  | 'not_selected'
  | 'beyond_limit'
  | 'over_budget'
  | 'session_full';

export interface DeliveredMemory extends Pick<FoundMemory, 'entry' | 'sourceRanks'> {
  readonly rank: RankingScore;
}

export interface RecallResult {
  readonly messages: readonly RecallMessage[];
  readonly delivered: readonly DeliveredMemory[];
  /** How many of the records that were handed in are told. */
  readonly requestContextCount: number;
  readonly leftOut: readonly { readonly entry: RecallableMemory; readonly because: OmissionReason }[];
  /** Of all messages together, framing included. */
  readonly tokens: number;
  readonly warnings: readonly string[];
}

/**
 * From what was found to what is sent (spec R2): rank, drop what is below the threshold, filter, diversify, pack.
 * The filter comes before diversity, so that what is hidden never pushes anything aside.
 */
export const assembleRecall = (found: readonly FoundMemory[], options: AssemblyOptions): RecallResult =>
  packRecall(rankAndFilter(found, options), options);

export function rankAndFilter(found: readonly FoundMemory[], options: AssemblyOptions): RankedMemories {
  const ranked = rankFound(found, options.agentId, options.now, options.weights, {
    ...RANKING,
    minRelevance: options.minRelevance,
  });
  const filtered = filterEntries(ranked, ({ entry }) => options.isAllowed(entry));
  return { found, ranked, filtered, fresh: filtered.kept.filter(({ id }) => !options.deliveredBefore.ids.has(id)) };
}

export function packRecall({ found, ranked, filtered, fresh }: RankedMemories, options: AssemblyOptions): RecallResult {
  const { selected } = options;
  const selectable = selected ? selected.flatMap((id) => fresh.find((one) => one.id === id) ?? []) : fresh;
  const chosen =
    options.diversify && !selected ? diverse(selectable, options.limit) : selectable.slice(0, options.limit);
  const recordsOf = (memories: readonly RankedMemory[]) => memories.map(({ entry }) => fieldsOf(entry, options.now));
  const render = (records: AssemblyOptions['requestContext']) => renderRecords(records, options.nonce, options.role);
  const handedIn = pack(options.requestContext, options.tokenBudget, (records) => tokensOf(render(records)));
  // What is measured is mostly what is sent, and rendering takes longer than all the rest.
  const rendered = new Map<string, readonly RecallMessage[]>();
  const messagesOf = (memories: readonly RankedMemory[]): readonly RecallMessage[] => {
    const key = memories.map(({ id }) => id).join(' ');
    const messages = rendered.get(key) ?? render([...handedIn, ...recordsOf(memories)]);
    rendered.set(key, messages);
    return messages;
  };
  const fitting = pack(chosen, options.tokenBudget, (memories) => tokensOf(messagesOf(memories)));
  const taken = pack(fitting, options.deliveredBefore.bytesLeft, (memories) => bytesOf(messagesOf(memories)));
  const messages = messagesOf(taken);
  const selectionSteps: readonly (readonly [readonly RankedMemory[], OmissionReason])[] = [
    [ranked, 'below_threshold'],
    [filtered.kept, 'filtered'],
    [fresh, 'delivered_before'],
    [selectable, 'not_selected'],
    [chosen, 'beyond_limit'],
    [fitting, 'over_budget'],
    [taken, 'session_full'],
  ];
  return {
    messages,
    requestContextCount: handedIn.length,
    delivered: taken.map(({ entry, sourceRanks, rank }) => ({ entry, sourceRanks, rank })),
    leftOut: found.flatMap(({ entry }) => {
      const failedStep = selectionSteps.find(([kept]) => !kept.some(({ id }) => id === entry.id));
      return failedStep ? [{ entry, because: failedStep[1] }] : [];
    }),
    tokens: tokensOf(messages),
    warnings: [
      ...options.warnings,
      ...(filtered.warning === undefined ? [] : [filtered.warning]),
      ...(handedIn.length < options.requestContext.length ? [REQUEST_CONTEXT_CUT] : []),
    ],
  };
}

/** As they are sent, in UTF-8. */
export const bytesOf = (messages: readonly RecallMessage[]): number =>
  sumBy(messages, ({ content }) => Buffer.byteLength(content));

const tokensOf = (messages: readonly RecallMessage[]): number =>
  sumBy(messages, ({ content }) => estimateTokens(content) + TOKENS_OF_A_MESSAGE);

const REQUEST_CONTEXT_CUT = 'Not everything that was handed in fits into the token budget.';

/** What a model's message costs beside its text: its role and the marks around it. */
export const TOKENS_OF_A_MESSAGE = 4;

function diverse(ranked: readonly Ranked<RankedMemory>[], limit: number): Ranked<RankedMemory>[] {
  const items = ranked.map((memory) => ({ memory, score: memory.rank.combined, text: textOf(memory.entry) }));
  return diversify(items, limit).map(({ memory }) => memory);
}

const textOf = ({ lesson }: RecallableMemory): string =>
  [lesson.discovery, lesson.activation.condition, lesson.activation.action, ...lesson.steps].join(' ');
