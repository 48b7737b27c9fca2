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
  /** The agent whose own memories rank higher. */
  readonly agentId: string;
  readonly now: Date;
  readonly weights: SourceWeights;
  /** Minimum score of a delivered memory, in [0, 1]. */
  readonly minRelevance: number;
  /** The memories that the session already has, and its remaining bytes. */
  readonly deliveredBefore: DeliveredBefore;
  /** Warnings of the search. */
  readonly warnings: readonly string[];
  /** Records from the caller. They come before the memories. */
  readonly requestContext: readonly Readonly<Record<string, string>>[];
  readonly tokenBudget: number;
  readonly limit: number;
  /** Prefer different memories over near-duplicates. */
  readonly diversify: boolean;
  readonly role: RecallMessage['role'];
  readonly nonce: string;
  /** Whether a memory may be delivered. */
  readonly isAllowed: (entry: RecallableMemory) => boolean;
  /** Ids selected by a model, best first. Without them, ranking and diversity select. */
  readonly selected?: readonly string[] | undefined;
}

/** The ranked memories before the selection. */
export interface RankedMemories {
  readonly found: readonly FoundMemory[];
  readonly ranked: readonly Ranked<RankedMemory>[];
  readonly filtered: Filtered<Ranked<RankedMemory>>;
  /** Memories that the session does not have yet, best first. */
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
  /** Number of request context records in the messages. */
  readonly requestContextCount: number;
  readonly leftOut: readonly { readonly entry: RecallableMemory; readonly because: OmissionReason }[];
  /** Estimated tokens of all messages, including the framing. */
  readonly tokens: number;
  readonly warnings: readonly string[];
}

/**
 * Assembles the messages of a recall: rank, apply the threshold, filter, diversify, pack. The filter runs before diversity,
 * so that a hidden memory never displaces a visible one.
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
  const contextRecords = pack(options.requestContext, options.tokenBudget, (records) => tokensOf(render(records)));
  // Rendering is the most expensive step, and the last measured messages are usually the result.
  const rendered = new Map<string, readonly RecallMessage[]>();
  const messagesOf = (memories: readonly RankedMemory[]): readonly RecallMessage[] => {
    const key = memories.map(({ id }) => id).join(' ');
    const messages = rendered.get(key) ?? render([...contextRecords, ...recordsOf(memories)]);
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
    requestContextCount: contextRecords.length,
    delivered: taken.map(({ entry, sourceRanks, rank }) => ({ entry, sourceRanks, rank })),
    leftOut: found.flatMap(({ entry }) => {
      const failedStep = selectionSteps.find(([kept]) => !kept.some(({ id }) => id === entry.id));
      return failedStep ? [{ entry, because: failedStep[1] }] : [];
    }),
    tokens: tokensOf(messages),
    warnings: [
      ...options.warnings,
      ...(filtered.warning === undefined ? [] : [filtered.warning]),
      ...(contextRecords.length < options.requestContext.length ? [REQUEST_CONTEXT_CUT] : []),
    ],
  };
}

/** The UTF-8 bytes of the messages. */
export const bytesOf = (messages: readonly RecallMessage[]): number =>
  sumBy(messages, ({ content }) => Buffer.byteLength(content));

const tokensOf = (messages: readonly RecallMessage[]): number =>
  sumBy(messages, ({ content }) => estimateTokens(content) + TOKENS_OF_A_MESSAGE);

const REQUEST_CONTEXT_CUT = 'Some of the request context does not fit into the token budget.';

/** Tokens of a message beside its text: the role and the delimiters. */
export const TOKENS_OF_A_MESSAGE = 4;

function diverse(ranked: readonly Ranked<RankedMemory>[], limit: number): Ranked<RankedMemory>[] {
  const items = ranked.map((memory) => ({ memory, score: memory.rank.combined, text: textOf(memory.entry) }));
  return diversify(items, limit).map(({ memory }) => memory);
}

const textOf = ({ lesson }: RecallableMemory): string =>
  [lesson.discovery, lesson.activation.condition, lesson.activation.action, ...lesson.steps].join(' ');
