import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { sumBy } from '../../platform/base/sum.js';
import { diversify } from '../ranking/diversity.js';
import { type Filtered, filterEntries } from '../ranking/memory-filter.js';
import { pack } from '../ranking/packing.js';
import type { RankingScore } from '../ranking/ranking.js';
import type { RankingProfile } from '../ranking/ranking-profile.schema.js';
import {
  estimateTokens,
  fieldsOf,
  hasMoreDetail,
  hasSteps,
  type ReadingTool,
  type RecallMessage,
  renderRecords,
  TOKENS_OF_A_MESSAGE,
  weakFieldsOf,
} from '../ranking/rendering.js';
import { groupRepeats } from '../ranking/repeats.js';
import type { DeliveredBefore } from '../ranking/session-history.js';
import { type FoundMemory, type RankedMemory, rankFound, type SourceWeights } from '../ranking/source-ranking.js';
import { byAuthority } from './same-failure.js';

/** The share of the threshold from which a memory is delivered beside one that reaches it. */
const BESIDE = 0.5;

export interface AssemblyOptions {
  /** The agent whose own memories rank higher. */
  readonly agentId: string;
  readonly now: Date;
  readonly weights: SourceWeights;
  readonly profile: RankingProfile;
  /** Minimum relevance that the request asks for, in [0, 1]; that of the profile is the lowest. */
  readonly minRelevance?: number | undefined;
  /** Deliver what is less relevant, too, as weak matches. */
  readonly weak: boolean;
  /** The memories that the session already has, and its remaining bytes. */
  readonly deliveredBefore: DeliveredBefore;
  /** Ids of memories and names of skills that the agent has read already. */
  readonly alreadyRead: ReadonlySet<string>;
  /** Warnings of the search. */
  readonly warnings: readonly string[];
  /** Records from the caller. They come before the memories. */
  readonly requestContext: readonly Readonly<Record<string, string>>[];
  readonly tokenBudget: number;
  readonly limit: number;
  /** Prefer different memories over near-duplicates. */
  readonly diversify: boolean;
  /** Deliver the steps of the memories as far as they fit. */
  readonly steps?: boolean;
  /** The tool of the agent that reads one memory in full. */
  readonly readWith?: ReadingTool | undefined;
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
  /** What a recall delivers unasked; the others are weak matches. */
  readonly strong: readonly RankedMemory[];
  readonly ranked: readonly RankedMemory[];
  readonly filtered: Filtered<RankedMemory>;
  /** Memories that the session does not have yet, best first. */
  readonly undelivered: readonly RankedMemory[];
  /** Of these, those that the agent has not read either. */
  readonly fresh: readonly RankedMemory[];
  /** One of each group of fresh memories that say the same, best first. */
  readonly distinct: readonly RankedMemory[];
}

type OmissionReason =
  | 'below_threshold'
  | 'filtered'
  | 'delivered_before'
  | 'already_read'
  | 'repeats_another'
  | 'not_selected'
  | 'beyond_limit'
  | 'over_budget'
  | 'session_full';

interface DeliveredMemory extends Pick<FoundMemory, 'entry' | 'sourceRanks'> {
  readonly rank: RankingScore;
  /** A recall that does not ask for weak matches would not deliver it. */
  readonly weak: boolean;
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

/**
 * A recall is silent unless one of the memories that it may deliver reaches the threshold; what comes close is delivered
 * beside that one. A search that asks for weak matches is never silent.
 */
export function rankAndFilter(found: readonly FoundMemory[], options: AssemblyOptions): RankedMemories {
  const { agentId, now, weights, profile, weak } = options;
  const threshold = Math.max(profile.minRelevance, options.minRelevance ?? 0);
  const ranked = rankFound(found, agentId, now, weights, profile);
  const from = (least: number) => {
    const memories = filterRanked(
      ranked.filter(({ rank }) => rank.relevance >= least),
      options,
    );
    return { found, strong: memories.distinct, ...memories };
  };
  const near = from(BESIDE * threshold);
  const silent = near.distinct.some(({ rank }) => rank.relevance >= threshold) ? near : from(threshold);
  return weak ? { ...from(0), strong: silent.distinct } : silent;
}

function filterRanked(ranked: readonly RankedMemory[], options: AssemblyOptions) {
  const allowed = filterEntries(ranked, ({ entry }) => options.isAllowed(entry));
  const filtered = { ...allowed, kept: byAuthority(allowed.kept) };
  const wasDelivered = ({ id }: RankedMemory): boolean => options.deliveredBefore.ids.has(id);
  const wasRead = ({ id, entry: { skillName } }: RankedMemory): boolean =>
    options.alreadyRead.has(id) || (skillName !== null && options.alreadyRead.has(skillName));
  const isKnown = (memory: RankedMemory): boolean => wasDelivered(memory) || wasRead(memory);
  const distinct = groupRepeats(filtered.kept).flatMap((group) => (group.some(isKnown) ? [] : group.slice(0, 1)));
  const undelivered = filtered.kept.filter((one) => !wasDelivered(one));
  return { ranked, filtered, undelivered, fresh: undelivered.filter((one) => !wasRead(one)), distinct };
}

export function packRecall(memories: RankedMemories, options: AssemblyOptions): RecallResult {
  const { found, strong, ranked, filtered, undelivered, fresh, distinct } = memories;
  const { selected } = options;
  const selectable = selected ? selected.flatMap((id) => distinct.find((one) => one.id === id) ?? []) : distinct;
  const limit = Math.min(options.limit, options.profile.maxResults);
  const best = options.diversify && !selected ? diverse(selectable, limit, options) : selectable.slice(0, limit);
  const chosen = byAuthority(best);
  const { contextRecords, fitting, taken, messages, smallest } = packMessages(chosen, strong, options);
  const selectionSteps: readonly (readonly [readonly RankedMemory[], OmissionReason])[] = [
    [ranked, 'below_threshold'],
    [filtered.kept, 'filtered'],
    [undelivered, 'delivered_before'],
    [fresh, 'already_read'],
    [distinct, 'repeats_another'],
    [selectable, 'not_selected'],
    [chosen, 'beyond_limit'],
    [fitting, 'over_budget'],
    [taken, 'session_full'],
  ];
  return {
    messages,
    requestContextCount: contextRecords.length,
    delivered: taken.map((memory) => ({
      entry: memory.entry,
      sourceRanks: memory.sourceRanks,
      rank: memory.rank,
      weak: !strong.includes(memory),
    })),
    leftOut: found.flatMap(({ entry }) => {
      const failedStep = selectionSteps.find(([kept]) => !kept.some(({ id }) => id === entry.id));
      return failedStep ? [{ entry, because: failedStep[1] }] : [];
    }),
    tokens: tokensOf(messages),
    warnings: [
      ...options.warnings,
      ...(filtered.warning === undefined ? [] : [filtered.warning]),
      ...(contextRecords.length < options.requestContext.length ? [REQUEST_CONTEXT_CUT] : []),
      ...(chosen.length > 0 && fitting.length === 0 ? [budgetTooSmall(smallest, options.tokenBudget)] : []),
    ],
  };
}

/**
 * Packs the memories in brief, in order, and then gives the rest of the budget to their steps, if the request asks for
 * them, and to what they have in full: none of it ever displaces another memory. Of a weak match only its title is said.
 */
function packMessages(chosen: readonly RankedMemory[], strong: RankedMemories['strong'], options: AssemblyOptions) {
  const { tokenBudget, now, nonce, role } = options;
  const render = (records: AssemblyOptions['requestContext']) => renderRecords(records, nonce, role);
  const contextRecords = pack(options.requestContext, tokenBudget, (records) => tokensOf(render(records)));
  // Rendering is the most expensive step, and the last measured messages are usually the result.
  const rendered = new Map<string, readonly RecallMessage[]>();
  const messagesOf = (
    memories: readonly RankedMemory[],
    withSteps: readonly RankedMemory[] = [],
    inFull: readonly RankedMemory[] = [],
  ) => {
    const key = memories.map((one) => `${one.id} ${withSteps.includes(one)} ${inFull.includes(one)}`).join(' ');
    const recordOf = (memory: RankedMemory) =>
      strong.includes(memory)
        ? fieldsOf(
            memory.entry,
            now,
            inFull.includes(memory) ? 'full' : 'brief',
            withSteps.includes(memory),
            options.readWith,
          )
        : weakFieldsOf(memory.entry);
    const messages = rendered.get(key) ?? render([...contextRecords, ...memories.map(recordOf)]);
    rendered.set(key, messages);
    return messages;
  };
  const fitting = pack(chosen, tokenBudget, (memories) => tokensOf(messagesOf(memories)));
  const bytesLeft = options.deliveredBefore.bytesLeft;
  const taken = pack(fitting, bytesLeft, (memories) => bytesOf(messagesOf(memories)));
  const tokensWithin = (messages: readonly RecallMessage[]) =>
    bytesOf(messages) > bytesLeft ? Number.POSITIVE_INFINITY : tokensOf(messages);
  const detailed = taken.filter((memory) => strong.includes(memory));
  const stepped = options.steps ? detailed.filter(({ entry }) => hasSteps(entry)) : [];
  const withSteps = pack(stepped, tokenBudget, (memories) => tokensWithin(messagesOf(taken, memories)));
  const inFull = pack(
    detailed.filter(({ entry }) => hasMoreDetail(entry)),
    tokenBudget,
    (memories) => tokensWithin(messagesOf(taken, withSteps, memories)),
  );
  // What would have been enough for one memory; only measured if none fits.
  const smallest = fitting.length > 0 ? 0 : Math.min(...chosen.map((memory) => tokensOf(messagesOf([memory]))));
  return { contextRecords, fitting, taken, smallest, messages: messagesOf(taken, withSteps, inFull) };
}

/** The UTF-8 bytes of the messages. */
export const bytesOf = (messages: readonly RecallMessage[]): number =>
  sumBy(messages, ({ content }) => Buffer.byteLength(content));

const tokensOf = (messages: readonly RecallMessage[]): number =>
  sumBy(messages, ({ content }) => estimateTokens(content) + TOKENS_OF_A_MESSAGE);

/** `needed`: tokens of the messages with the shortest of the memories. */
export const budgetTooSmall = (needed: number, tokenBudget: number): string =>
  `The token budget of ${tokenBudget} is too small for any of the memories found: the shortest needs about ${needed}.`;

const REQUEST_CONTEXT_CUT = 'Some of the request context does not fit into the token budget.';

function diverse(ranked: readonly RankedMemory[], limit: number, { profile }: AssemblyOptions): RankedMemory[] {
  const items = ranked.map((memory) => ({ memory, score: memory.rank.combined, text: comparedText(memory) }));
  return diversify(items, limit, profile.diversity.lambda).map(({ memory }) => memory);
}

const comparedText = ({ entry: { lesson } }: RankedMemory): string =>
  [lesson.discovery, lesson.activation.condition, lesson.activation.action, ...lesson.steps].join(' ');
