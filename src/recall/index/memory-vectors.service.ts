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
  /** False until the first request for vectors. No memory is embedded before. */
  readonly enabled: boolean;
  readonly embedded: number;
  readonly pending: number;
  /** The reason why embedding has stopped; null without a problem. */
  readonly problem: string | null;
}

export interface VectorSearchResult {
  readonly hits: readonly VectorHit[];
  readonly warnings: readonly string[];
}

/**
 * The vectors of live memories, in memory and stored with the name of their embedder. With another embedder, one process
 * embeds every memory again in the background and the others read the stored vectors; meanwhile keyword search works.
 */
@Injectable()
export class MemoryVectors extends BackgroundWorker {
  private readonly logger = new Logger(MemoryVectors.name);
  private readonly holder: string;
  private index: VectorIndex | undefined;
  /** Memories without a current vector, with the number of the change that requested it. */
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

  /** Starts to embed memories. */
  enable(): void {
    if (this.enabled) return;
    this.enabled = true;
    this.wake();
  }

  /** Discards the index, since deletions may have been missed, and starts again. */
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
    const { enabled, problem } = this;
    const embedded = this.index?.size ?? 0;
    return { embedder: this.embedder.name, enabled, embedded, pending: this.pending.size, problem };
  }

  /** The number of embedded and pending memories; undefined if vectors are not enabled. */
  private progress(): BackgroundProgress | undefined {
    const { enabled, embedded, pending } = this.state();
    return enabled ? { done: embedded, left: this.scanned ? pending : null } : undefined;
  }

  get weight(): number {
    return this.embedder.weight;
  }

  /** Returns the nearest memories, with a warning while vectors are missing. Throws the errors of the embedder. */
  async search(reader: Reader, text: string, limit: number): Promise<VectorSearchResult> {
    this.enable();
    const warnings: string[] = [];
    const [query] = await this.embedder.embed([text]);
    const { embedded, pending } = this.state();
    if (!this.scanned || pending > 0) {
      const progress = this.scanned ? `${embedded} of ${embedded + pending}` : `only ${embedded}`;
      warnings.push(`The vector index is incomplete: ${progress} memories embedded so far.`);
    }
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
    // Only the embedder knows the dimensions of its vectors.
    const [sample] = await this.embedder.embed(['How many dimensions?']);
    if (!sample) throw new Error('the embedder returned no vector');
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
    const current = [...live.values()].map((memory) => {
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
      // Changed or removed in the meantime: the newer request counts.
      if (this.pending.get(memory.id) !== requestedChanges.get(memory.id) || this.index !== index) return;
      this.pending.delete(memory.id);
      const group = visibilityGroupOf(memory);
      if (group !== undefined) index.put(memory.id, group, vector);
    };
    const toEmbed = current.filter(({ memory, textSha256 }) => {
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
    if (rows.length < toEmbed.length) throw new Error('the embedder returned fewer vectors than texts');
    await this.vectors.store(this.database.client, this.embedder.name, rows);
    for (const [at, { memory }] of toEmbed.entries()) {
      const vector = vectors[at];
      if (vector) addVector(memory, vector);
    }
    return this.finishBatch();
  }

  /** Returns true if memories are pending. Otherwise releases the lease. */
  private async finishBatch(): Promise<boolean> {
    this.problem = null;
    if (this.pending.size > 0) return true;
    await releaseLease(this.database.client, LEASE, this.holder);
    return false;
  }

  private recordProblem(error: unknown): void {
    const problem = error instanceof EmbedderUnavailable ? error.message : 'embedding failed';
    if (!(error instanceof EmbedderUnavailable)) this.logger.error(stackOf(error));
    else if (problem !== this.problem) this.logger.warn(`${problem}; recall uses keyword search in the meantime`);
    this.problem = problem;
  }
}
