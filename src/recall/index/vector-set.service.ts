import { Logger } from '@nestjs/common';
import { type LiveMemory, visibilityGroupOf } from '../../memory/store/recallable-memory.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { stackOf } from '../../platform/base/error-text.js';
import { type Embedder, EmbedderUnavailable } from '../embedding/embedder.js';
import { logOddsByVector } from '../ranking/evidence.js';
import { embeddedText } from './embedded-text.js';
import type { GroupReader } from './loaded-groups.js';
import { VectorBackfill, type VectorSources } from './vector-backfill.service.js';
import { type VectorEntry, VectorGroups } from './vector-groups.js';
import type { VectorHit } from './vector-index.js';

/** Memories that are read again at once. */
const READ_AGAIN = 1_000;

/** Memories that are compared with everyday texts. */
export const SAMPLED = 50;
/** Texts that no memory is about. Their cosines show what an embedder gives without any relation. */
export const EVERYDAY = [
  'Good night, see you on Monday.',
  'Could you make this paragraph a little friendlier?',
  'Which of these two colours looks better on a wall?',
  'Tell me a short joke about a snowman.',
  'What is the name of the river that flows through Vienna?',
  'Please put the list in the right order.',
  'How many people can sit around a round table?',
  'I did not understand the last part, explain it again.',
  'Write four lines about the sea in winter.',
  'Why do leaves turn red before they fall?',
  'Change the title so that it fits on one line.',
  'Is it better to walk in the morning or after work?',
];

/** A memory that was found, with the log odds that it is about the query by its cosine alone. */
export interface JudgedHit extends VectorHit {
  readonly logOdds: number;
}

/** What a search of some groups finds, and how many of their memories have a vector and have none. */
export interface GroupsSearched {
  readonly hits: readonly JudgedHit[];
  readonly held: number;
  readonly missing: number;
}

/**
 * The vectors of live memories by one embedder, stored with its name: those of the groups that were asked for in memory.
 * A vector of another name never gets in.
 */
export class VectorSet {
  private readonly logger = new Logger(VectorSet.name);
  private readonly backfill: VectorBackfill;
  /** Of the dimensions of the last query. */
  private groups: VectorGroups | undefined;
  private everydayVectors: Promise<readonly Float32Array[]> | undefined;
  problem: string | null = null;

  constructor(
    readonly embedder: Embedder,
    private readonly sources: VectorSources,
    private readonly mostBytes: number,
  ) {
    this.backfill = new VectorBackfill(embedder, sources, (ids) => this.groups?.expect(ids));
  }

  /** Memories that this process embedded, or found embedded. */
  get done(): number {
    return this.backfill.done;
  }

  /** Null until every live memory has been looked at. */
  get left(): number | null {
    return this.backfill.left;
  }

  /** True if every live memory has its vector. */
  get isComplete(): boolean {
    return this.backfill.isComplete;
  }

  /** Discards what is in memory, since changes may have been missed. */
  reset(): void {
    this.groups?.reset();
    this.backfill.reset();
  }

  /** A live memory that changed, and the visibility group that it has now. */
  noteChange(id: string, group: string | undefined): void {
    this.groups?.noteChange(id, group);
    this.backfill.put(id);
  }

  remove(id: string): void {
    this.groups?.noteChange(id, undefined);
    this.backfill.remove(id);
  }

  /** Reads again what has no vector: another process may have stored it. */
  expectStored(): void {
    this.groups?.expect();
  }

  /** True if a step would do something: a vector is missing, or one of a loaded group is to be read again. */
  get hasWork(): boolean {
    return !this.isComplete || this.groups?.isOutdated === true;
  }

  /** Does one batch. Returns true if there is more. */
  async step(): Promise<boolean> {
    const hasMore = await this.embed();
    const wasRead = await this.groups?.readAgain(READ_AGAIN, async (ids) =>
      this.entriesOf(await this.sources.memories.live(ids), this.groups?.index.dimensions ?? 0),
    );
    return hasMore || wasRead === true;
  }

  /** The nearest memories of these groups, which are loaded if they are not. */
  async search(query: Float32Array, names: readonly string[], limit: number): Promise<GroupsSearched> {
    const groups = this.groupsOf(query.length);
    const everyday = this.embedder.knowsMeaning ? await this.everyday() : [];
    const unpin = groups.pin(names);
    try {
      while (!groups.use(names)) await groups.load(names);
      const judge = this.embedder.knowsMeaning
        ? logOddsByVector(groups.index.cosinesOf(everyday, names, SAMPLED))
        : () => Number.NEGATIVE_INFINITY;
      return {
        hits: groups.index
          .search(query, names, limit, this.embedder.minSimilarity)
          .map((hit) => ({ ...hit, logOdds: judge(hit.similarity) })),
        held: names.reduce((sum, name) => sum + groups.index.sizeOf(name), 0),
        missing: groups.missingIn(names),
      };
    } finally {
      unpin();
    }
  }

  /** The vectors of everyday texts, made once. */
  private everyday(): Promise<readonly Float32Array[]> {
    this.everydayVectors ??= this.embedder.embed(EVERYDAY).catch((error: unknown) => {
      this.everydayVectors = undefined;
      throw error;
    });
    return this.everydayVectors;
  }

  private groupsOf(dimensions: number): VectorGroups {
    if (this.groups?.index.dimensions !== dimensions)
      this.groups = new VectorGroups(dimensions, this.mostBytes, this.readerOf(dimensions));
    return this.groups;
  }

  private readerOf(dimensions: number): GroupReader<VectorEntry> {
    const { memories } = this.sources;
    const entriesOf = (live: readonly LiveMemory[]) => this.entriesOf(live, dimensions);
    return {
      async *all(group) {
        for await (const page of memories.allOfGroup(group)) yield await entriesOf(page);
      },
      some: async (group, ids) => entriesOf(await memories.live(ids, group)),
    };
  }

  /** A stored vector counts if it is of the present text. */
  private async entriesOf(live: readonly LiveMemory[], dimensions: number): Promise<VectorEntry[]> {
    const { database, vectors } = this.sources;
    const ids = live.map(({ id }) => id);
    const rows = ids.length === 0 ? [] : await vectors.find(database.client, this.embedder.name, ids);
    const stored = new Map(rows.map((row) => [row.memoryId, row]));
    return live.flatMap((memory) => {
      const group = visibilityGroupOf(memory);
      const row = stored.get(memory.id);
      const isCurrent = row?.vector.length === dimensions && row.textSha256 === sha256(embeddedText(memory));
      return group === undefined ? [] : [{ id: memory.id, group, vector: isCurrent ? row.vector : undefined }];
    });
  }

  private async embed(): Promise<boolean> {
    try {
      const hasMore = await this.backfill.step();
      this.problem = null;
      return hasMore;
    } catch (error) {
      this.recordProblem(error);
      return false;
    }
  }

  private recordProblem(error: unknown): void {
    const problem = error instanceof EmbedderUnavailable ? error.message : 'embedding failed';
    if (!(error instanceof EmbedderUnavailable)) this.logger.error(stackOf(error));
    else if (problem !== this.problem) this.logger.warn(`${problem}; recall uses keyword search in the meantime`);
    this.problem = problem;
  }
}
