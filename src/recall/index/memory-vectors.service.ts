import { Inject, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import {
  type LiveMemory,
  type Reader,
  visibilityGroupOf,
  visibilityGroupsFor,
} from '../../memory/store/recallable-memory.js';
import { BackgroundWorker } from '../../platform/background/worker.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { stackOf } from '../../platform/base/error-text.js';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import { releaseLease, takeLease } from '../../platform/database/lease.js';
import { type BackgroundProgress, Readiness } from '../../platform/http/readiness.service.js';
import { type Embedder, EmbedderUnavailable } from '../embedding/embedder.js';
import { embeddedText } from './embedded-text.js';
import { MemoryVectorRepository, type StoredVector } from './memory-vector.repository.js';
import { type VectorHit, VectorIndex } from './vector-index.js';

export const EMBEDDER = Symbol('EMBEDDER');

const BATCH = 256;
const LEASE = 'memory-vectors';
const LEASE_MS = 120_000;
const RETRY_MS = 5_000;

export interface VectorIndexState {
  readonly embedder: string;
  /** False until somebody asks for them: nothing is made of memories before. */
  readonly enabled: boolean;
  readonly embedded: number;
  readonly pending: number;
  /** Why it does not go on. */
  readonly problem: string | null;
}

export interface VectorSearchResult {
  readonly hits: readonly VectorHit[];
  readonly warnings: readonly string[];
}

/**
 * The vectors of live memories, in memory, and stored with the name of what made them: another embedder makes them anew
 * in the background, in one process of all, while words find what they find. The others read what it stored.
 */
@Injectable()
export class MemoryVectors extends BackgroundWorker {
  private readonly logger = new Logger(MemoryVectors.name);
  private readonly holder: string;
  private index: VectorIndex | undefined;
  /** Memories without a vector here, with the number of the change that asked for it. */
  private pending = new Map<string, number>();
  private changes = 0;
  private enabled = false;
  private scanned = false;
  private problem: string | null = null;

  constructor(
    @Inject(EMBEDDER) private readonly embedder: Embedder,
    private readonly database: Database,
    private readonly memories: MemoryReadService,
    private readonly vectors: MemoryVectorRepository,
    private readonly clock: Clock,
    ids: Ids,
    readiness: Readiness,
  ) {
    super();
    this.holder = ids.uuid();
    readiness.register('vectors', () => this.progress());
  }

  /** From now on memories have vectors. */
  enable(): void {
    if (this.enabled) return;
    this.enabled = true;
    this.wake();
  }

  /** Everything is looked at anew: what has gone meanwhile is not known. */
  reset(): void {
    this.index = undefined;
    this.pending = new Map();
    this.scanned = false;
    if (this.enabled) this.wake();
  }

  put({ id }: Pick<LiveMemory, 'id'>): void {
    if (!this.enabled) return;
    this.pending.set(id, ++this.changes);
    this.wake();
  }

  remove(id: string): void {
    this.pending.delete(id);
    this.index?.remove(id);
  }

  state(): VectorIndexState {
    const { enabled: wanted, problem } = this;
    const embedded = this.index?.size ?? 0;
    return { embedder: this.embedder.name, enabled: wanted, embedded, pending: this.pending.size, problem };
  }

  /** Once vectors are wanted: how many memories have one, and how many are still to get it. */
  private progress(): BackgroundProgress | undefined {
    const { enabled: wanted, embedded, pending: waiting } = this.state();
    return wanted ? { done: embedded, left: this.scanned ? waiting : null } : undefined;
  }

  get weight(): number {
    return this.embedder.weight;
  }

  /** What lies near enough. Says in a warning what is not there yet; throws what the embedder throws. */
  async search(reader: Reader, text: string, limit: number): Promise<VectorSearchResult> {
    this.enable();
    const warnings: string[] = [];
    const [query] = await this.embedder.embed([text]);
    const { embedded, pending: waiting } = this.state();
    if (!this.scanned || waiting > 0)
      warnings.push(`Vectors are still being made: ${embedded} of ${this.scanned ? embedded + waiting : 'all'}.`);
    if (!query || !this.index) return { hits: [], warnings };
    return {
      hits: this.index.search(query, visibilityGroupsFor(reader), limit, this.embedder.minSimilarity),
      warnings,
    };
  }

  @Interval(RETRY_MS)
  retry(): void {
    if (this.enabled && (!this.scanned || this.pending.size > 0)) this.wake();
  }

  protected async step(): Promise<boolean> {
    if (!this.enabled) return false;
    try {
      if (!this.index) return await this.startIndex();
      if (this.pending.size === 0) return false;
      return await this.embedBatch(this.index, [...this.pending.keys()].slice(0, BATCH));
    } catch (error) {
      this.recordProblem(error);
      return false;
    }
  }

  private async startIndex(): Promise<boolean> {
    // The embedder alone knows how many dimensions its vectors have.
    const [sample] = await this.embedder.embed(['How many dimensions?']);
    if (!sample) throw new Error('the embedder gives no vector');
    await this.vectors.forgetEnded(this.database.client);
    this.index = new VectorIndex(sample.length);
    for await (const page of this.memories.all())
      for (const { id } of page) if (!this.index.has(id)) this.pending.set(id, ++this.changes);
    this.scanned = true;
    return true;
  }

  private async embedBatch(index: VectorIndex, ids: readonly string[]): Promise<boolean> {
    const requestedChanges = new Map(ids.map((id) => [id, this.pending.get(id)]));
    const live = new Map((await this.memories.live(ids)).map((memory) => [memory.id, memory]));
    for (const id of ids) if (!live.has(id)) this.pending.delete(id);
    const wanted = [...live.values()].map((memory) => {
      const text = embeddedText(memory);
      return { memory, text, textSha256: sha256(text) };
    });
    const stored = new Map(
      (await this.vectors.find(this.database.client, this.embedder.name, [...live.keys()])).map((row) => [
        row.memoryId,
        row,
      ]),
    );
    const addVector = (memory: LiveMemory, vector: Float32Array) => {
      // Changed or gone meanwhile: the newer request stands.
      if (this.pending.get(memory.id) !== requestedChanges.get(memory.id) || this.index !== index) return;
      this.pending.delete(memory.id);
      const group = visibilityGroupOf(memory);
      if (group !== undefined) index.put(memory.id, group, vector);
    };
    const toEmbed = wanted.filter(({ memory, textSha256 }) => {
      const row = stored.get(memory.id);
      if (row?.textSha256 !== textSha256 || row.vector.length !== index.dimensions) return true;
      addVector(memory, row.vector);
      return false;
    });
    if (toEmbed.length === 0) return this.finishBatch();
    const now = this.clock.now();
    if (!(await takeLease(this.database.client, LEASE, this.holder, now, new Date(now.getTime() + LEASE_MS))))
      return false;
    const vectors = await this.embedder.embed(toEmbed.map(({ text }) => text));
    const rows: StoredVector[] = toEmbed.flatMap(({ memory, textSha256 }, at) => {
      const vector = vectors[at];
      return vector ? [{ memoryId: memory.id, textSha256, vector }] : [];
    });
    if (rows.length < toEmbed.length) throw new Error('the embedder gives fewer vectors than texts');
    await this.vectors.store(this.database.client, this.embedder.name, rows);
    for (const [at, { memory }] of toEmbed.entries()) {
      const vector = vectors[at];
      if (vector) addVector(memory, vector);
    }
    return this.finishBatch();
  }

  /** True when there is more to do; the lease is given back when there is not. */
  private async finishBatch(): Promise<boolean> {
    this.problem = null;
    if (this.pending.size > 0) return true;
    await releaseLease(this.database.client, LEASE, this.holder);
    return false;
  }

  private recordProblem(error: unknown): void {
    const problem = error instanceof EmbedderUnavailable ? error.message : 'the vectors could not be made';
    if (!(error instanceof EmbedderUnavailable)) this.logger.error(stackOf(error));
    else if (problem !== this.problem) this.logger.warn(`${problem}; memories are found by their words meanwhile`);
    this.problem = problem;
  }
}
