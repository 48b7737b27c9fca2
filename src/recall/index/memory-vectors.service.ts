import { Inject, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MemoryReading } from '../../memory/store/memory-reading.service.js';
import { groupOf, groupsOf, type LiveMemory, type Reader } from '../../memory/store/readable.js';
import { BackgroundWork } from '../../platform/background/worker.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import { stackOf } from '../../platform/base/thrown.js';
import { Database } from '../../platform/database/database.js';
import { releaseLease, takeLease } from '../../platform/database/lease.js';
import { type Progress, Readiness } from '../../platform/http/readiness.service.js';
import { type Embedder, EmbedderUnavailable } from '../embedding/embedder.js';
import { embeddedText } from './memory-text.js';
import { MemoryVectorRepository, type StoredVector } from './memory-vector.repository.js';
import { type Near, VectorIndex } from './vector-index.js';

export const EMBEDDER = Symbol('EMBEDDER');

const BATCH = 256;
const LEASE = 'memory-vectors';
const LEASE_MS = 120_000;
const RETRY_MS = 5_000;

export interface VectorState {
  readonly embedder: string;
  /** False until somebody asks for them: nothing is made of memories before. */
  readonly wanted: boolean;
  readonly embedded: number;
  readonly waiting: number;
  /** Why it does not go on. */
  readonly problem: string | null;
}

export interface NearMemories {
  readonly near: readonly Near[];
  readonly warnings: readonly string[];
}

/**
 * The vectors of live memories, in memory, and stored with the name of what made them: another embedder makes them anew
 * in the background, in one process of all, while words find what they find. The others read what it stored.
 */
@Injectable()
export class MemoryVectors extends BackgroundWork {
  private readonly logger = new Logger(MemoryVectors.name);
  private readonly holder: string;
  private index: VectorIndex | undefined;
  /** Memories without a vector here, with the number of the change that asked for it. */
  private waiting = new Map<string, number>();
  private changes = 0;
  private wanted = false;
  private scanned = false;
  private problem: string | null = null;

  constructor(
    @Inject(EMBEDDER) private readonly embedder: Embedder,
    private readonly database: Database,
    private readonly memories: MemoryReading,
    private readonly vectors: MemoryVectorRepository,
    private readonly clock: Clock,
    ids: Ids,
    readiness: Readiness,
  ) {
    super();
    this.holder = ids.uuid();
    readiness.tells('vectors', () => this.progress());
  }

  /** From now on memories have vectors. */
  want(): void {
    if (this.wanted) return;
    this.wanted = true;
    this.wake();
  }

  /** Everything is looked at anew: what has gone meanwhile is not known. */
  reset(): void {
    this.index = undefined;
    this.waiting = new Map();
    this.scanned = false;
    if (this.wanted) this.wake();
  }

  put({ id }: Pick<LiveMemory, 'id'>): void {
    if (!this.wanted) return;
    this.waiting.set(id, ++this.changes);
    this.wake();
  }

  remove(id: string): void {
    this.waiting.delete(id);
    this.index?.remove(id);
  }

  state(): VectorState {
    const { wanted, problem } = this;
    const embedded = this.index?.size ?? 0;
    return { embedder: this.embedder.name, wanted, embedded, waiting: this.waiting.size, problem };
  }

  /** Once vectors are wanted: how many memories have one, and how many are still to get it. */
  private progress(): Progress | undefined {
    const { wanted, embedded, waiting } = this.state();
    return wanted ? { done: embedded, left: this.scanned ? waiting : null } : undefined;
  }

  get weight(): number {
    return this.embedder.weight;
  }

  /** What lies near enough. Says in a warning what is not there yet; throws what the embedder throws. */
  async search(reader: Reader, text: string, limit: number): Promise<NearMemories> {
    this.want();
    const warnings: string[] = [];
    const [query] = await this.embedder.embed([text]);
    const { embedded, waiting } = this.state();
    if (!this.scanned || waiting > 0)
      warnings.push(`Vectors are still being made: ${embedded} of ${this.scanned ? embedded + waiting : 'all'}.`);
    if (!query || !this.index) return { near: [], warnings };
    return { near: this.index.search(query, groupsOf(reader), limit, this.embedder.minSimilarity), warnings };
  }

  @Interval(RETRY_MS)
  retry(): void {
    if (this.wanted && (!this.scanned || this.waiting.size > 0)) this.wake();
  }

  protected async step(): Promise<boolean> {
    if (!this.wanted) return false;
    try {
      if (!this.index) return await this.begin();
      if (this.waiting.size === 0) return false;
      return await this.makeSome(this.index, [...this.waiting.keys()].slice(0, BATCH));
    } catch (error) {
      this.stumbledOver(error);
      return false;
    }
  }

  private async begin(): Promise<boolean> {
    // The embedder alone knows how many dimensions its vectors have.
    const [sample] = await this.embedder.embed(['How many dimensions?']);
    if (!sample) throw new Error('the embedder gives no vector');
    await this.vectors.forgetEnded(this.database.client);
    this.index = new VectorIndex(sample.length);
    for await (const page of this.memories.all())
      for (const { id } of page) if (!this.index.has(id)) this.waiting.set(id, ++this.changes);
    this.scanned = true;
    return true;
  }

  private async makeSome(index: VectorIndex, ids: readonly string[]): Promise<boolean> {
    const asked = new Map(ids.map((id) => [id, this.waiting.get(id)]));
    const live = new Map((await this.memories.live(ids)).map((memory) => [memory.id, memory]));
    for (const id of ids) if (!live.has(id)) this.waiting.delete(id);
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
    const done = (memory: LiveMemory, vector: Float32Array) => {
      // Changed or gone meanwhile: the newer request stands.
      if (this.waiting.get(memory.id) !== asked.get(memory.id) || this.index !== index) return;
      this.waiting.delete(memory.id);
      const group = groupOf(memory);
      if (group !== undefined) index.put(memory.id, group, vector);
    };
    const left = wanted.filter(({ memory, textSha256 }) => {
      const row = stored.get(memory.id);
      if (row?.textSha256 !== textSha256 || row.vector.length !== index.dimensions) return true;
      done(memory, row.vector);
      return false;
    });
    if (left.length === 0) return this.finished();
    const now = this.clock.now();
    if (!(await takeLease(this.database.client, LEASE, this.holder, now, new Date(now.getTime() + LEASE_MS))))
      return false;
    const made = await this.embedder.embed(left.map(({ text }) => text));
    const rows: StoredVector[] = left.flatMap(({ memory, textSha256 }, at) => {
      const vector = made[at];
      return vector ? [{ memoryId: memory.id, textSha256, vector }] : [];
    });
    if (rows.length < left.length) throw new Error('the embedder gives fewer vectors than texts');
    await this.vectors.store(this.database.client, this.embedder.name, rows);
    for (const [at, { memory }] of left.entries()) {
      const vector = made[at];
      if (vector) done(memory, vector);
    }
    return this.finished();
  }

  /** True when there is more to do; the lease is given back when there is not. */
  private async finished(): Promise<boolean> {
    this.problem = null;
    if (this.waiting.size > 0) return true;
    await releaseLease(this.database.client, LEASE, this.holder);
    return false;
  }

  private stumbledOver(error: unknown): void {
    const problem = error instanceof EmbedderUnavailable ? error.message : 'the vectors could not be made';
    if (!(error instanceof EmbedderUnavailable)) this.logger.error(stackOf(error));
    else if (problem !== this.problem) this.logger.warn(`${problem}; memories are found by their words meanwhile`);
    this.problem = problem;
  }
}
