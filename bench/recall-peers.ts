import { create, insertMultiple, search } from '@orama/orama';
import MiniSearch from 'minisearch';
import type { LiveMemory } from '../src/memory/store/recallable-memory.js';
import { MemoryIndex } from '../src/recall/index/memory-index.js';
import { type BenchMemory, percentile } from './recall-texts.js';

const READER = { agentId: 'agent', role: null, department: null };
const RESULT_LIMIT = 10;

export type Find = (query: string) => Promise<unknown> | unknown;

export interface Peer {
  readonly name: string;
  build(memories: readonly BenchMemory[]): Promise<Find>;
}

const textOf = ({ discovery, condition, action, rationale }: BenchMemory): string =>
  [discovery, condition, action, rationale].join(' ');

/** A memory in the form that the database returns to the index. */
const liveMemory = ({ id, discovery, ...activation }: BenchMemory): LiveMemory => ({
  id,
  scope: 'agent',
  category: 'PROCEDURAL',
  ...READER,
  lesson: { discovery, activation, steps: [], confidence: 0.7, tags: [] },
  controlTags: ['non-inferable'],
  provenance: 'unverified',
  proposer: 'bench',
  sourceExecutionId: null,
  skillName: null,
  version: null,
  proposalId: null,
  propagatedFromId: null,
  witnessCount: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
});

/** Peers in this process on the same texts: the cost of the index without a server. */
export const PEERS: readonly Peer[] = [
  {
    name: 'guildbook',
    async build(memories) {
      const index = new MemoryIndex();
      for (const memory of memories) index.put(liveMemory(memory));
      return (query) => index.search(READER, query, RESULT_LIMIT);
    },
  },
  {
    name: 'orama',
    async build(memories) {
      const index = create({ schema: { text: 'string' } });
      await insertMultiple(
        index,
        memories.map((memory) => ({ id: memory.id, text: textOf(memory) })),
        1_000,
      );
      return (query) => search(index, { term: query, limit: RESULT_LIMIT, threshold: 1 });
    },
  },
  {
    name: 'minisearch',
    async build(memories) {
      const index = new MiniSearch({ fields: ['text'] });
      index.addAll(memories.map((memory) => ({ id: memory.id, text: textOf(memory) })));
      return (query) => index.search(query).slice(0, RESULT_LIMIT);
    },
  },
];

export interface PeerFigures {
  readonly p50: number;
  readonly p99: number;
  readonly buildSeconds: number;
}

export async function measurePeer(
  peer: Peer,
  memories: readonly BenchMemory[],
  queries: readonly string[],
): Promise<PeerFigures> {
  const began = performance.now();
  const find = await peer.build(memories);
  const buildSeconds = (performance.now() - began) / 1_000;
  return { ...(await measureFinding(find, queries)), buildSeconds };
}

export async function measureFinding(find: Find, queries: readonly string[]): Promise<{ p50: number; p99: number }> {
  // Warm-up, so that compilation is not measured.
  for (const query of queries.slice(0, 50)) await find(query);
  const times: number[] = [];
  for (const query of queries) {
    const start = performance.now();
    await find(query);
    times.push(performance.now() - start);
  }
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}
