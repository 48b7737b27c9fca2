import { Injectable, Logger } from '@nestjs/common';
import type { AgentIdentity } from '../access/agents.service.js';
import type { MemoryEntry } from '../memory/memory.schema.js';
import { MemoryReading } from '../memory/memory-reading.service.js';
import type { Reader } from '../memory/readable.js';
import { isFor } from '../skills/audience.js';
import { Rollouts } from '../skills/rollouts.service.js';
import { EmbedderUnavailable } from './embedder.js';
import type { Found, Place, SourceName, Weights } from './finding.js';
import { MemorySearch } from './memory-index.service.js';
import { MemoryVectors } from './memory-vectors.service.js';
import type { Retrieval } from './recall.schema.js';
import { smallestHits } from './smallest.js';

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

/** What the smallest retriever looks through. */
const LATEST = 500;
const EMBEDDER_FAILED = 'The embedder failed, so nothing is recalled.';

/** Finds memories; the indexes propose, the database says what is live, and whether this reader may see it. */
@Injectable()
export class MemoryFinder {
  private readonly logger = new Logger(MemoryFinder.name);

  constructor(
    private readonly words: MemorySearch,
    private readonly vectors: MemoryVectors,
    private readonly memories: MemoryReading,
    private readonly rollouts: Rollouts,
  ) {}

  /** How much the order of each source counts. */
  get weights(): Weights {
    return { words: 1, vectors: this.vectors.weight };
  }

  async find(wanted: Wanted): Promise<Finding> {
    const reader = readerOf(wanted.agent);
    const { hits, warnings } = await this.ask(reader, wanted);
    const ids = [...new Set(Object.values(hits).flatMap((list) => list.map(({ id }) => id)))];
    const byId = new Map((await this.readable(reader, ids)).map((entry) => [entry.id, entry]));
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
  async one(agent: AgentIdentity, id: string): Promise<MemoryEntry | undefined> {
    return (await this.readable(readerOf(agent), [id]))[0];
  }

  private async ask(reader: Reader, wanted: Wanted): Promise<{ hits: Hits; warnings: readonly string[] }> {
    const { retrieval, text, limit } = wanted;
    if (retrieval === 'words') return { hits: { words: await this.words.search(reader, text, limit) }, warnings: [] };
    if (retrieval === 'smallest') {
      const latest = await this.memories.latest(reader, LATEST);
      return { hits: { words: smallestHits(latest, text, wanted.tools) }, warnings: [] };
    }
    const [words, near] = await Promise.all([
      // Also brings the vectors up to date with what was committed.
      this.words.search(reader, text, limit),
      this.near(reader, text, limit),
    ]);
    const hits = { ...(retrieval === 'hybrid' ? { words } : {}), vectors: near.hits };
    return { hits: near.failed ? {} : hits, warnings: near.warnings };
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
      this.logger.error(error instanceof Error ? error.stack : String(error));
      return { hits: [], warnings: [EMBEDDER_FAILED], failed: true };
    }
  }

  private async readable(reader: Reader, ids: readonly string[]): Promise<MemoryEntry[]> {
    const entries = await this.memories.visible(reader, ids);
    if (entries.every(({ skillName }) => skillName === null)) return entries;
    const heldBack = await this.rollouts.heldBack();
    return entries.filter(
      ({ id, skillName }) =>
        skillName === null || isFor({ agentId: reader.agentId }, heldBack.get(id) ?? 100, skillName),
    );
  }
}

const readerOf = ({ id, role, department }: AgentIdentity): Reader => ({ agentId: id, role, department });

function sourcesOf({ words, vectors }: Hits) {
  const sources: [SourceName, NonNullable<Hits[SourceName]>][] = [];
  if (words) sources.push(['words', words]);
  if (vectors) sources.push(['vectors', vectors]);
  return sources;
}
