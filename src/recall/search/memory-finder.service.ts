import { Injectable, Logger } from '@nestjs/common';
import type { AgentIdentity } from '../../access/identity/agents.service.js';
import { MemoryReading } from '../../memory/store/memory-reading.service.js';
import type { Reader, Tellable } from '../../memory/store/readable.js';
import { FreshCache } from '../../platform/background/fresh-cache.js';
import { stackOf } from '../../platform/base/thrown.js';
import { isFor, type Stage } from '../../skills/delivery/audience.js';
import { Rollouts } from '../../skills/delivery/rollouts.service.js';
import { EmbedderUnavailable } from '../embedding/embedder.js';
import { MemorySearch, SEEN_WITHIN_MS } from '../index/memory-index.service.js';
import { MemoryVectors } from '../index/memory-vectors.service.js';
import type { Found, Place, SourceName, Weights } from '../ranking/finding.js';
import type { Retrieval } from '../ranking/recall.schema.js';
import { smallestHits } from '../ranking/smallest.js';

export interface Finding {
  readonly found: readonly Found[];
  readonly warnings: readonly string[];
}

export interface Wanted {
  readonly agent: AgentIdentity;
  readonly text: string;
  readonly retrieval: Retrieval;
  readonly limit: number;
  /** Names of the tools that the agent has. */
  readonly tools: readonly string[];
}

type Hits = Partial<Record<SourceName, readonly { readonly id: string; readonly relevance: number }[]>>;

interface Answered {
  readonly hits: Hits;
  /** What of it this reader may see. */
  readonly entries: readonly Tellable[];
  readonly warnings: readonly string[];
}

/** What the smallest retriever looks through. */
const LATEST = 500;
const EMBEDDER_FAILED = 'The embedder failed, so nothing is recalled.';

/** Finds memories. An index proposes within what this reader may see; before they are told, that is looked at again. */
@Injectable()
export class MemoryFinder {
  private readonly logger = new Logger(MemoryFinder.name);
  private readonly heldBack: FreshCache<Map<string, Stage>>;

  constructor(
    private readonly words: MemorySearch,
    private readonly vectors: MemoryVectors,
    private readonly memories: MemoryReading,
    rollouts: Rollouts,
  ) {
    this.heldBack = new FreshCache(
      () => words.moment(),
      SEEN_WITHIN_MS,
      () => rollouts.heldBack(),
    );
  }

  /** How much the order of each source counts. */
  get weights(): Weights {
    return { words: 1, vectors: this.vectors.weight };
  }

  async find(wanted: Wanted): Promise<Finding> {
    const reader = readerOf(wanted.agent);
    const { hits, entries, warnings } = await this.ask(reader, wanted);
    const byId = new Map((await this.received(reader, entries)).map((entry) => [entry.id, entry]));
    const placed = new Map<string, Partial<Record<SourceName, Place>>>();
    for (const [source, list] of sourcesOf(hits)) {
      const seen = list.filter(({ id }) => byId.has(id));
      for (const [at, { id, relevance }] of seen.entries())
        placed.set(id, { ...placed.get(id), [source]: { place: at + 1, relevance } });
    }
    const found = [...placed].flatMap(([id, places]) => {
      const entry = byId.get(id);
      return entry ? [{ entry, places }] : [];
    });
    return { found, warnings };
  }

  /** One memory that the agent sees; undefined where there is none. */
  async one(agent: AgentIdentity, id: string): Promise<Tellable | undefined> {
    const reader = readerOf(agent);
    return (await this.received(reader, await this.memories.visible(reader, [id])))[0];
  }

  private async ask(reader: Reader, wanted: Wanted): Promise<Answered> {
    const { retrieval, text, limit } = wanted;
    if (retrieval === 'words') {
      const words = await this.words.search(reader, text, limit);
      return { hits: { words }, entries: await this.words.visible(reader, idsOf(words)), warnings: [] };
    }
    if (retrieval === 'smallest') {
      const latest = await this.memories.latest(reader, LATEST);
      return { hits: { words: smallestHits(latest, text, wanted.tools) }, entries: latest, warnings: [] };
    }
    const [words, near] = await Promise.all([
      // Also brings the vectors up to date with what was committed.
      this.words.search(reader, text, limit),
      this.near(reader, text, limit),
    ]);
    if (near.failed) return { hits: {}, entries: [], warnings: near.warnings };
    const hits: Hits = { ...(retrieval === 'hybrid' ? { words } : {}), vectors: near.hits };
    const ids = [...new Set(Object.values(hits).flatMap(idsOf))];
    return { hits, entries: await this.words.visible(reader, ids), warnings: near.warnings };
  }

  /** One that is away is expected, and words still find; one that breaks has an error, and nothing is told. */
  private async near(reader: Reader, text: string, limit: number) {
    try {
      const { near, warnings } = await this.vectors.search(reader, text, limit);
      const hits = near.map(({ id, similarity }) => ({ id, relevance: Math.min(1, similarity) }));
      return { hits, warnings, failed: false };
    } catch (error) {
      if (error instanceof EmbedderUnavailable)
        return { hits: [], warnings: [`Without vectors: ${error.message}.`], failed: false };
      this.logger.error(stackOf(error));
      return { hits: [], warnings: [EMBEDDER_FAILED], failed: true };
    }
  }

  /** Those of them that have been rolled out to this reader. */
  private async received(reader: Reader, entries: readonly Tellable[]): Promise<readonly Tellable[]> {
    if (entries.every(({ skillName }) => skillName === null)) return entries;
    const heldBack = await this.heldBack.get();
    return entries.filter(
      ({ id, skillName }) =>
        skillName === null || isFor({ agentId: reader.agentId }, heldBack.get(id) ?? 100, skillName),
    );
  }
}

const idsOf = (hits: readonly { readonly id: string }[]): string[] => hits.map(({ id }) => id);

const readerOf = ({ id, role, department }: AgentIdentity): Reader => ({ agentId: id, role, department });

function sourcesOf({ words, vectors }: Hits) {
  const sources: [SourceName, NonNullable<Hits[SourceName]>][] = [];
  if (words) sources.push(['words', words]);
  if (vectors) sources.push(['vectors', vectors]);
  return sources;
}
