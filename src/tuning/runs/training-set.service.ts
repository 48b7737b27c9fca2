import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import { type LiveMemory, NOT_SAID } from '../../memory/store/recallable-memory.js';
import { yieldToEventLoop } from '../../platform/background/yielder.js';
import { compareText } from '../../platform/base/compare-text.js';
import { Database } from '../../platform/database/database.js';
import type { Embedder } from '../../recall/embedding/embedder.js';
import { embeddedText } from '../../recall/index/embedded-text.js';
import { MemoryVectors } from '../../recall/index/memory-vectors.service.js';
import { memoryTerms } from '../../recall/ranking/searchable-text.js';
import type { TuningPlan } from '../checkpoints/tuning.schema.js';
import type { LabelledQuery, TrainingDocument, TrainingInput } from '../learning/training-contract.js';
import { askedFor } from './delivered-pairs.js';
import { PairsRepository } from './pairs.repository.js';
import { TuningFolders } from './tuning-folders.service.js';

export type UnembeddedDocument = Omit<TrainingDocument, 'vector'>;
export type UnembeddedQuery = Omit<LabelledQuery, 'vector'>;

/** What a training reads, before the embedder in service has embedded it. In an order that depends on the content alone. */
export interface TrainingSet extends Pick<TrainingInput, 'foreign'> {
  readonly documents: readonly UnembeddedDocument[];
  readonly queries: readonly UnembeddedQuery[];
}

/** Texts that are embedded at once. */
const BATCH = 64;

/** Collects what a training reads: live memories, and pairs from what every reader of the organisation may see. */
@Injectable()
export class TrainingSets {
  constructor(
    private readonly database: Database,
    private readonly memories: MemoryReadService,
    private readonly pairs: PairsRepository,
    private readonly folders: TuningFolders,
    private readonly vectors: MemoryVectors,
  ) {}

  /** The newest memories up to `most`, and the pairs among them. */
  async collect({ sourceDir }: Pick<TuningPlan, 'sourceDir'>, most: number): Promise<TrainingSet> {
    const memories = await this.newest(most);
    const live = new Set(memories.map(({ id }) => id));
    const source = sourceDir === undefined ? { texts: [], queries: [] } : await this.folders.read(sourceDir);
    const pairs = [...memories.flatMap(conditionPair), ...(await this.deliveredPairs()), ...source.queries];
    return {
      documents: memories.map(documentOf).sort((a, b) => compareText(a.id, b.id)),
      queries: grouped(pairs.map(({ text, relevant }) => ({ text, relevant: relevant.filter((id) => live.has(id)) }))),
      foreign: source.texts.map((text) => ({ text, ownerId: null })),
    };
  }

  /** The input of a training: the set with the vectors of the embedder in service. */
  async embed(
    { documents, queries, foreign }: TrainingSet,
    seed: number,
    embedder: Embedder,
    onProgress: (done: number, total: number) => Promise<void>,
  ): Promise<TrainingInput> {
    const known = await this.vectors.stored(
      embedder.name,
      documents.map(({ id, text }) => ({ id, text })),
    );
    const unknown = [...documents.filter(({ id }) => !known.has(id)), ...queries].map(({ text }) => text);
    const vectors: Float32Array[] = [];
    for (let at = 0; at < unknown.length; at += BATCH) {
      vectors.push(...(await embedder.embed(unknown.slice(at, at + BATCH))));
      await onProgress(Math.min(at + BATCH, unknown.length), unknown.length);
      await yieldToEventLoop();
    }
    let next = 0;
    const embedded = (): Float32Array => {
      const vector = vectors[next++];
      if (!vector) throw new Error('the embedder returned fewer vectors than texts');
      return vector;
    };
    return {
      seed,
      foreign,
      documents: documents.map((document) => ({ ...document, vector: known.get(document.id) ?? embedded() })),
      queries: queries.map((query) => ({ ...query, vector: embedded() })),
      served: { name: embedder.name, weight: embedder.weight, minSimilarity: embedder.minSimilarity },
    };
  }

  /** The newest live memories, without those that no reader could see. */
  private async newest(most: number): Promise<LiveMemory[]> {
    const newest: LiveMemory[] = [];
    for await (const page of this.memories.newest(most)) newest.push(...page);
    return newest.sort(newestFirst);
  }

  private async deliveredPairs(): Promise<UnembeddedQuery[]> {
    const pairs = await this.pairs.delivered(this.database.client);
    return askedFor(pairs).map(({ text, memoryId }) => ({ text, relevant: [memoryId] }));
  }
}

/** Hash of all that a training reads, so that a run that goes on can see that it changed. */
export function inputSha256({ seed, documents, queries, foreign, served }: TrainingInput): string {
  const hash = createHash('sha256');
  const add = (...parts: readonly unknown[]) => hash.update(`${JSON.stringify(parts)}\n`);
  const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array) => Buffer.from(buffer, byteOffset, byteLength);
  add(seed, served.name, served.weight, served.minSimilarity, foreign);
  for (const { id, text, terms, ownerId, createdAt, vector } of documents) {
    add(id, text, terms, ownerId, createdAt);
    hash.update(bytesOf(vector));
  }
  for (const { text, relevant, vector } of queries) {
    add(text, relevant);
    hash.update(bytesOf(vector));
  }
  return hash.digest('hex');
}

const documentOf = (memory: LiveMemory): UnembeddedDocument => ({
  id: memory.id,
  text: embeddedText(memory),
  terms: memoryTerms(memory),
  ownerId: memory.scope === 'org' ? null : ownerOf(memory),
  createdAt: Date.parse(memory.createdAt),
});

/** Whose memory it is: of an agent, or of a role or a department. */
const ownerOf = ({ agentId, role, department }: LiveMemory): string => agentId ?? role ?? department ?? '';

/** The condition of an approved skill asks for that skill. */
const conditionPair = ({ id, scope, lesson }: LiveMemory): UnembeddedQuery[] =>
  scope === 'org' && lesson.activation.condition !== NOT_SAID
    ? [{ text: lesson.activation.condition, relevant: [id] }]
    : [];

function grouped(pairs: readonly UnembeddedQuery[]): UnembeddedQuery[] {
  const byText = new Map<string, Set<string>>();
  for (const { text, relevant } of pairs) {
    const ids = byText.get(text) ?? new Set();
    for (const id of relevant) ids.add(id);
    if (ids.size > 0) byText.set(text, ids);
  }
  return [...byText]
    .sort(([a], [b]) => compareText(a, b))
    .map(([text, ids]) => ({ text, relevant: [...ids].sort(compareText) }));
}

const newestFirst = (a: LiveMemory, b: LiveMemory): number =>
  compareText(b.createdAt, a.createdAt) || compareText(a.id, b.id);
