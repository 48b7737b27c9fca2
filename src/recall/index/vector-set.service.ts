import { Logger } from '@nestjs/common';
import type { MemoryReadService } from '../../memory/store/memory-read.service.js';
import { type LiveMemory, visibilityGroupOf } from '../../memory/store/recallable-memory.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import type { Clock } from '../../platform/base/clock.js';
import { stackOf } from '../../platform/base/error-text.js';
import type { Database } from '../../platform/database/database.js';
import { releaseLease, takeLease } from '../../platform/database/lease.js';
import { type Embedder, EmbedderUnavailable } from '../embedding/embedder.js';
import { embeddedText } from './embedded-text.js';
import type { MemoryVectorRepository, StoredVector } from './memory-vector.repository.js';
import { VectorIndex } from './vector-index.js';

const BATCH = 256;
const LEASE = 'memory-vectors';
const LEASE_MS = 120_000;

/** What every set of vectors of a process shares. */
export interface VectorSources {
  readonly database: Database;
  readonly memories: MemoryReadService;
  readonly vectors: MemoryVectorRepository;
  readonly clock: Clock;
  /** The process, for the lease. */
  readonly holder: string;
  readonly configuredName: string;
}

/**
 * The vectors of live memories by one embedder, in memory and stored with its name. A vector of another name never gets
 * in. One process embeds what is missing; the others read the stored vectors.
 */
export class VectorSet {
  private readonly logger = new Logger(VectorSet.name);
  index: VectorIndex | undefined;
  /** Memories without a current vector, with the number of the change that requested it. */
  private pending = new Map<string, number>();
  private changes = 0;
  /** True once every memory has been looked at. */
  scanned = false;
  problem: string | null = null;

  constructor(
    readonly embedder: Embedder,
    private readonly sources: VectorSources,
  ) {}

  get embedded(): number {
    return this.index?.size ?? 0;
  }

  get left(): number {
    return this.pending.size;
  }

  /** True if every live memory has its vector. */
  get isComplete(): boolean {
    return this.scanned && this.pending.size === 0;
  }

  /** Discards the index, since deletions may have been missed. */
  reset(): void {
    this.index = undefined;
    this.pending = new Map();
    this.scanned = false;
  }

  put(id: string): void {
    this.pending.set(id, ++this.changes);
  }

  remove(id: string): void {
    this.pending.delete(id);
    this.index?.remove(id);
  }

  /** Does one batch. Returns true if there is more. */
  async step(): Promise<boolean> {
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
    const { database, memories, vectors, configuredName } = this.sources;
    // Only the embedder knows the dimensions of its vectors.
    const [sample] = await this.embedder.embed(['How many dimensions?']);
    if (!sample) throw new Error('the embedder returned no vector');
    await vectors.forgetEnded(database.client, [configuredName, this.embedder.name]);
    this.index = new VectorIndex(sample.length);
    for await (const page of memories.all())
      for (const { id } of page) if (!this.index.has(id)) this.pending.set(id, ++this.changes);
    this.scanned = true;
    return true;
  }

  private async embedBatch(index: VectorIndex, ids: readonly string[]): Promise<boolean> {
    const { database, memories, vectors: store, clock, holder } = this.sources;
    const requestedChanges = new Map(ids.map((id) => [id, this.pending.get(id)]));
    const live = new Map((await memories.live(ids)).map((memory) => [memory.id, memory]));
    for (const id of ids) if (!live.has(id)) this.pending.delete(id);
    const current = [...live.values()].map((memory) => {
      const text = embeddedText(memory);
      return { memory, text, textSha256: sha256(text) };
    });
    const stored = new Map(
      (await store.find(database.client, this.embedder.name, [...live.keys()])).map((row) => [row.memoryId, row]),
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
    const now = clock.now();
    if (!(await takeLease(database.client, LEASE, holder, now, new Date(now.getTime() + LEASE_MS)))) return false;
    const vectors = await this.embedder.embed(toEmbed.map(({ text }) => text));
    const rows: StoredVector[] = toEmbed.flatMap(({ memory, textSha256 }, at) => {
      const vector = vectors[at];
      return vector ? [{ memoryId: memory.id, textSha256, vector }] : [];
    });
    if (rows.length < toEmbed.length) throw new Error('the embedder returned fewer vectors than texts');
    await store.store(database.client, this.embedder.name, rows);
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
    await releaseLease(this.sources.database.client, LEASE, this.sources.holder);
    return false;
  }

  private recordProblem(error: unknown): void {
    const problem = error instanceof EmbedderUnavailable ? error.message : 'embedding failed';
    if (!(error instanceof EmbedderUnavailable)) this.logger.error(stackOf(error));
    else if (problem !== this.problem) this.logger.warn(`${problem}; recall uses keyword search in the meantime`);
    this.problem = problem;
  }
}
