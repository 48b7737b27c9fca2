import { Inject, Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import { type Reader, visibilityGroupsFor } from '../../memory/store/recallable-memory.js';
import { defineWorker } from '../../platform/background/worker.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { isWholeId } from '../../platform/base/id-prefix.js';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import { type BackgroundProgress, Readiness } from '../../platform/http/readiness.service.js';
import type { Embedder } from '../embedding/embedder.js';
import { ServedEmbedder, type ServedReference } from '../embedding/served-embedder.js';
import { MemoryVectorRepository } from './memory-vector.repository.js';
import type { VectorSources } from './vector-backfill.service.js';
import { type JudgedHit, VectorSet } from './vector-set.service.js';

export const EMBEDDER = Symbol('EMBEDDER');

const RETRY_MS = 5_000;
const STORED_BATCH = 500;
/** Requests that began before a switch have ended by then: the vectors that they search are dropped. */
const KEEP_REPLACED_MS = 60_000;
/** Bytes of all vectors in memory by one embedder: 85,000 of 384 dimensions in small groups. */
const VECTOR_BYTES = 128 * 1024 * 1024;

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
  readonly hits: readonly JudgedHit[];
  readonly warnings: readonly string[];
}

/**
 * The vectors of live memories by the embedder in service, and by another one while a switch is prepared: stored for all
 * memories, and in memory for the visibility groups that are searched. A query is compared only with vectors of its own
 * embedder's name. Until they are complete, keyword search works.
 */
@Injectable()
export class MemoryVectors extends defineWorker() {
  private readonly sources: VectorSources;
  /** By the name of the embedder. */
  private readonly sets = new Map<string, VectorSet>();
  /** When the vectors of a replaced embedder are dropped, in milliseconds since the epoch. */
  private readonly dropAt = new Map<string, number>();
  private enabled = false;

  constructor(
    @Inject(EMBEDDER) private readonly served: ServedEmbedder,
    database: Database,
    memories: MemoryReadService,
    vectors: MemoryVectorRepository,
    private readonly clock: Clock,
    ids: Ids,
    readiness: Readiness,
  ) {
    super();
    const configuredName = served.configured.embedder.name;
    this.sources = { database, memories, vectors, clock, holder: ids.uuid(), configuredName };
    readiness.register('vectors', () => this.progress());
  }

  /** What is in service now. A recall reads it once, so that all its searches use the same. */
  get current(): ServedReference {
    return this.served.current;
  }

  /** Starts to embed memories. */
  enable(): void {
    if (this.enabled) return;
    this.enabled = true;
    this.setOf(this.served.current.embedder);
    this.wake();
  }

  /** Discards the indexes, since deletions may have been missed, and starts again. */
  reset(): void {
    for (const set of this.sets.values()) set.reset();
    if (this.enabled) this.wake();
  }

  /** A live memory that changed, and the visibility group that it has now. */
  noteChange(id: string, group: string | undefined): void {
    if (!this.enabled) return;
    for (const set of this.sets.values()) set.noteChange(id, group);
    this.wake();
  }

  remove(id: string): void {
    for (const set of this.sets.values()) set.remove(id);
  }

  /** `live` is the number of live memories. */
  state(live: number): VectorIndexState {
    const { embedder, displayName } = this.served.current;
    const set = this.sets.get(embedder.name);
    const left = set ? (set.left ?? live - set.done) : live;
    const pending = this.enabled ? Math.min(live, Math.max(0, left)) : 0;
    return {
      embedder: displayName,
      enabled: this.enabled,
      embedded: this.enabled ? live - pending : 0,
      pending,
      problem: set?.problem ?? null,
    };
  }

  /** Returns the nearest memories, with a warning while vectors are missing. Throws the errors of the embedder. */
  async search(
    reader: Reader,
    text: string,
    limit: number,
    { embedder }: ServedReference = this.served.current,
  ): Promise<VectorSearchResult> {
    this.enable();
    const set = this.setOf(embedder);
    const [query] = await embedder.embed([text]);
    if (!query) return { hits: [], warnings: [] };
    const { hits, held, missing } = await set.search(query, visibilityGroupsFor(reader), limit);
    const warnings =
      missing === 0 ? [] : [`The vector index is incomplete: ${held} of ${held + missing} memories embedded so far.`];
    return { hits, warnings };
  }

  /**
   * Embeds every memory by another embedder in the background, beside the one in service. Returns true once its vectors
   * are complete, or if none are in use yet; call it again until then.
   */
  prepare(embedder: Embedder): boolean {
    if (!this.enabled) return true;
    const set = this.setOf(embedder);
    if (!set.isComplete) this.wake();
    return set.isComplete;
  }

  /** The stored vectors of these texts by the embedder with this name, by the id of their memory. */
  async stored(
    name: string,
    texts: readonly { readonly id: string; readonly text: string }[],
  ): Promise<Map<string, Float32Array>> {
    const { database, vectors } = this.sources;
    const found = new Map<string, Float32Array>();
    for (let at = 0; at < texts.length; at += STORED_BATCH) {
      const some = new Map(texts.slice(at, at + STORED_BATCH).map(({ id, text }) => [id, sha256(text)]));
      const ids = [...some.keys()].filter(isWholeId);
      for (const { memoryId, textSha256, vector } of await vectors.find(database.client, name, ids))
        if (some.get(memoryId) === textSha256) found.set(memoryId, vector);
    }
    return found;
  }

  /** Why the embedding of this embedder has stopped; null without a problem. */
  problemOf(embedder: Embedder): string | null {
    return this.sets.get(embedder.name)?.problem ?? null;
  }

  /** Gives up what was prepared and is not in service. */
  discard(embedder: Embedder): void {
    if (embedder.name !== this.served.current.embedder.name) this.sets.delete(embedder.name);
  }

  /** Replaces what is in service. Vectors of another name stay until the requests that search them have ended. */
  switchTo(reference: ServedReference): void {
    const { name } = this.served.current.embedder;
    this.served.switchTo(reference);
    if (reference.embedder.name !== name) this.dropAt.set(name, this.clock.now().getTime() + KEEP_REPLACED_MS);
    this.dropAt.delete(reference.embedder.name);
    if (this.enabled) this.setOf(reference.embedder);
    this.wake();
  }

  @Interval(RETRY_MS)
  retry(): void {
    const now = this.clock.now().getTime();
    for (const [name, at] of this.dropAt)
      if (at <= now) {
        this.dropAt.delete(name);
        this.sets.delete(name);
      }
    for (const set of this.sets.values()) set.expectStored();
    if (this.enabled && [...this.sets.values()].some(({ hasWork }) => hasWork)) this.wake();
  }

  protected async step(): Promise<boolean> {
    if (!this.enabled) return false;
    let hasMore = false;
    for (const set of [...this.sets.values()]) hasMore = (await set.step()) || hasMore;
    return hasMore;
  }

  /** What this process has looked at or embedded, and what is left; undefined if vectors are not enabled. */
  private progress(): BackgroundProgress | undefined {
    const set = this.sets.get(this.served.current.embedder.name);
    return this.enabled ? { done: set?.done ?? 0, left: set?.left ?? null } : undefined;
  }

  private setOf(embedder: Embedder): VectorSet {
    const known = this.sets.get(embedder.name);
    if (known) return known;
    const set = new VectorSet(embedder, this.sources, VECTOR_BYTES);
    this.sets.set(embedder.name, set);
    return set;
  }
}
