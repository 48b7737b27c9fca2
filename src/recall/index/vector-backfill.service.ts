import type { MemoryReadService } from '../../memory/store/memory-read.service.js';
import type { LiveMemory } from '../../memory/store/recallable-memory.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import type { Clock } from '../../platform/base/clock.js';
import { NIL_UUID } from '../../platform/base/ids.js';
import type { Database } from '../../platform/database/database.js';
import { releaseLease, takeLease } from '../../platform/database/lease.js';
import type { Embedder } from '../embedding/embedder.js';
import { embeddedText } from './embedded-text.js';
import type { MemoryVectorRepository } from './memory-vector.repository.js';

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

/** Memories that are embedded at once. */
const BATCH = 256;
/** Memories that are looked at by one query. */
const LOOK = 2_000;
const LEASE = 'memory-vectors';
const LEASE_MS = 120_000;

/**
 * Embeds the live memories that have no vector by one embedder, and stores the vectors: first a pass over all memories,
 * page by page, then what changes. One process embeds at a time, and none holds more than a page.
 */
export class VectorBackfill {
  /** Memories that may lack a current vector, with the number of the change that requested it. */
  private pending = new Map<string, number>();
  private changes = 0;
  /** The last memory that was looked at; undefined once every one has been. */
  private after: string | undefined = NIL_UUID;
  private dimensions: number | undefined;
  /** Memories that were embedded or found embedded. One that changes counts again. */
  done = 0;

  /** `onStored` gets the memories whose vectors are stored now. */
  constructor(
    private readonly embedder: Embedder,
    private readonly sources: VectorSources,
    private readonly onStored: (ids: readonly string[]) => void,
  ) {}

  /** The memories without a vector; null until every one has been looked at. */
  get left(): number | null {
    return this.after === undefined ? this.pending.size : null;
  }

  get isComplete(): boolean {
    return this.left === 0;
  }

  reset(): void {
    this.pending = new Map();
    this.after = NIL_UUID;
    this.done = 0;
  }

  put(id: string): void {
    this.pending.set(id, ++this.changes);
  }

  remove(id: string): void {
    this.pending.delete(id);
  }

  /** Does one batch. Returns true if there is more, and false if another process embeds. */
  async step(): Promise<boolean> {
    const dimensions = this.dimensions ?? (await this.learnDimensions());
    if (this.after !== undefined && this.pending.size < BATCH) await this.lookFurther(this.after, dimensions);
    if (this.pending.size > 0 && !(await this.embedBatch([...this.pending.keys()].slice(0, BATCH), dimensions)))
      return false;
    if (!this.isComplete) return true;
    await releaseLease(this.sources.database.client, LEASE, this.sources.holder);
    return false;
  }

  /** Only the embedder knows the dimensions of its vectors. */
  private async learnDimensions(): Promise<number> {
    const { database, vectors, configuredName } = this.sources;
    const [sample] = await this.embedder.embed(['How many dimensions?']);
    if (!sample) throw new Error('the embedder returned no vector');
    await vectors.forgetEnded(database.client, [configuredName, this.embedder.name]);
    this.dimensions = sample.length;
    return sample.length;
  }

  private async lookFurther(after: string, dimensions: number): Promise<void> {
    const { database, vectors } = this.sources;
    const { last, looked, lacking } = await vectors.lookAfter(database.client, this.embedder.name, {
      dimensions,
      after,
      limit: LOOK,
    });
    // Reset meanwhile: the pass begins again.
    if (this.after !== after) return;
    for (const id of lacking) if (!this.pending.has(id)) this.put(id);
    this.done += looked - lacking.length;
    this.after = looked < LOOK ? undefined : last;
  }

  /** Returns false if another process embeds. */
  private async embedBatch(ids: readonly string[], dimensions: number): Promise<boolean> {
    const { database, memories, vectors: store, clock, holder } = this.sources;
    const requested = new Map(ids.map((id) => [id, this.pending.get(id)]));
    /** Changed meanwhile: the newer request counts. */
    const finish = (done: readonly string[]) => {
      for (const id of done) if (this.pending.get(id) === requested.get(id)) this.pending.delete(id);
    };
    const live = new Map((await memories.live(ids)).map((memory) => [memory.id, memory]));
    finish(ids.filter((id) => !live.has(id)));
    const stored = new Map(
      (await store.find(database.client, this.embedder.name, [...live.keys()])).map((row) => [row.memoryId, row]),
    );
    const isCurrent = ({ memoryId, textSha256 }: EmbeddableText) => {
      const row = stored.get(memoryId);
      return row?.vector.length === dimensions && row.textSha256 === textSha256;
    };
    const texts = [...live.values()].map(textOf);
    const toEmbed = texts.filter((text) => !isCurrent(text));
    finish(texts.filter(isCurrent).map(({ memoryId }) => memoryId));
    this.done += texts.length - toEmbed.length;
    if (toEmbed.length === 0) return true;
    const now = clock.now();
    if (!(await takeLease(database.client, LEASE, holder, now, LEASE_MS))) return false;
    const vectors = await this.embedder.embed(toEmbed.map(({ text }) => text));
    const rows = toEmbed.flatMap(({ memoryId, textSha256 }, at) => {
      const vector = vectors[at];
      return vector ? [{ memoryId, textSha256, vector }] : [];
    });
    if (rows.length < toEmbed.length) throw new Error('the embedder returned fewer vectors than texts');
    await store.store(database.client, this.embedder.name, rows);
    const embedded = toEmbed.map(({ memoryId }) => memoryId);
    finish(embedded);
    this.done += embedded.length;
    this.onStored(embedded);
    return true;
  }
}

interface EmbeddableText {
  readonly memoryId: string;
  readonly text: string;
  readonly textSha256: string;
}

function textOf(memory: LiveMemory): EmbeddableText {
  const text = embeddedText(memory);
  return { memoryId: memory.id, text, textSha256: sha256(text) };
}
