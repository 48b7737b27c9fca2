import type { MemoryEntry } from '../memory/memory.schema.js';
import { diversify } from './diversity.js';
import { filterEntries, isNonInferable } from './non-inferable.js';
import { pack } from './packing.js';
import { type Candidate, type Rank, type Ranked, rank } from './ranking.js';
import { type RecallMessage, renderMemories } from './rendering.js';
import { estimateTokens } from './token-estimate.js';

/** A memory that answers the query, and how well, in [0, 1]. */
export interface Found {
  readonly entry: MemoryEntry;
  readonly relevance: number;
}

export interface RecollectionOptions {
  /** Whose own memories count more. */
  readonly agentId: string;
  readonly now: Date;
  readonly tokenBudget: number;
  readonly limit: number;
  /** Leave near-repetitions out in favour of other memories. */
  readonly diversify: boolean;
  readonly role: RecallMessage['role'];
  readonly nonce: string;
  /** Which entries may be told; non-inferable ones unless said otherwise. */
  readonly keeps?: (entry: MemoryEntry) => boolean;
}

export type LeftOut = 'below_threshold' | 'filtered' | 'beyond_limit' | 'over_budget';

export interface Recollection {
  readonly messages: readonly RecallMessage[];
  readonly told: readonly { readonly entry: MemoryEntry; readonly rank: Rank }[];
  readonly leftOut: readonly { readonly entry: MemoryEntry; readonly because: LeftOut }[];
  /** Of all messages together, framing included. */
  readonly tokens: number;
  readonly warnings: readonly string[];
}

interface RankedMemory extends Candidate {
  readonly entry: MemoryEntry;
}

/**
 * From what was found to what is sent (spec R2): rank, drop what is below the threshold, filter, diversify, pack.
 * The filter comes before diversity, so that what is hidden never pushes anything aside.
 */
export function recollect(found: readonly Found[], options: RecollectionOptions): Recollection {
  const ranked = rank(
    found.map((one) => toCandidate(one, options.agentId)),
    options.now,
  );
  const filtered = filterEntries(ranked, ({ entry }) => (options.keeps ?? isNonInferable)(entry));
  const chosen = options.diversify ? diverse(filtered.kept, options.limit) : filtered.kept.slice(0, options.limit);
  const messagesOf = (taken: readonly Ranked<RankedMemory>[]) =>
    renderMemories(
      taken.map(({ entry }) => entry),
      options.nonce,
      options.role,
    );
  const tokensOf = (taken: readonly Ranked<RankedMemory>[]) =>
    messagesOf(taken).reduce((sum, { content }) => sum + estimateTokens(content) + TOKENS_OF_A_MESSAGE, 0);
  const taken = pack(chosen, options.tokenBudget, tokensOf);
  const stages: readonly (readonly [readonly RankedMemory[], LeftOut])[] = [
    [ranked, 'below_threshold'],
    [filtered.kept, 'filtered'],
    [chosen, 'beyond_limit'],
    [taken, 'over_budget'],
  ];
  return {
    messages: messagesOf(taken),
    told: taken.map(({ entry, rank: place }) => ({ entry, rank: place })),
    leftOut: found.flatMap(({ entry }) => {
      const lost = stages.find(([kept]) => !kept.some(({ id }) => id === entry.id));
      return lost ? [{ entry, because: lost[1] }] : [];
    }),
    tokens: tokensOf(taken),
    warnings: filtered.warning === undefined ? [] : [filtered.warning],
  };
}

/** What a model's message costs beside its text: its role and the marks around it. */
const TOKENS_OF_A_MESSAGE = 4;

function toCandidate({ entry, relevance }: Found, agentId: string): RankedMemory {
  const ages = entry.scope !== 'ORG';
  return {
    id: entry.id,
    entry,
    relevance,
    personal: entry.scope === 'AGENT' && entry.agentId === agentId,
    writtenAt: ages ? new Date(entry.createdAt) : undefined,
  };
}

function diverse(ranked: readonly Ranked<RankedMemory>[], limit: number): Ranked<RankedMemory>[] {
  const items = ranked.map((memory) => ({ memory, score: memory.rank.combined, text: textOf(memory.entry) }));
  return diversify(items, limit).map(({ memory }) => memory);
}

const textOf = ({ lesson }: MemoryEntry): string =>
  [lesson.discovery, lesson.activation.condition, lesson.activation.action, ...lesson.steps].join(' ');
