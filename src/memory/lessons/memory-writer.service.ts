import { Inject, Injectable } from '@nestjs/common';
import type { AgentActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Batcher } from '../../platform/background/batcher.js';
import { Clock } from '../../platform/base/clock.js';
import { compareText } from '../../platform/base/compare-text.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import { receiveLines } from '../../platform/http/line-batch.js';
import { CONFIG } from '../../platform/platform.module.js';
import { VerifierAvailability } from '../provenance/verifier-availability.service.js';
import type { Provenance } from '../store/lesson.schema.js';
import { MemoryRepository } from '../store/memory.repository.js';
import type { MemoryEntry } from '../store/memory.schema.js';
import { MemoryReadRepository } from '../store/memory-read.repository.js';
import { type ContentKey, contentKey, MemorySourceRepository } from '../store/memory-source.repository.js';
import { provenanceOf } from '../store/provenance.js';
import { CORE_NOTES, NOTE_PROPOSER, type NoteKind, type Reader } from '../store/recallable-memory.js';
import { contradictionTags, type KeptNote, markWarnings, type NoteMark } from './kept-note.js';
import { MemoryCapacity, type WrittenStore } from './memory-capacity.service.js';
import { NoteComparison } from './note-comparison.service.js';
import { NON_INFERABLE, type NoteText, noteText, noteWarnings } from './note-text.js';
import { NewMemory, type NoteLines, type RememberBatch, type RememberResult } from './remember.schema.js';
import { StoredLessons } from './stored-lessons.service.js';

/** The kind of a note, and the conditions under which it is stored. */
export interface NoteOptions {
  readonly kind: NoteKind;
  /** Id of the note of the same kind that it replaces. */
  readonly replaces?: string | undefined;
  /** For all notes of this kind, the new one included. Above it, nothing is stored. */
  readonly budget?: NoteBudget;
}

/** Of the core block, unless an administrator set another one for the agent. */
interface NoteBudget {
  readonly tokens: number;
  readonly tokensOf: (notes: readonly MemoryEntry[]) => number;
}

const LESSON: NoteOptions = { kind: { category: 'PROCEDURAL' } };
/** Most notes of one kind that a budget counts. */
const MAX_NOTES = 1_000;

/**
 * A commit of many memories takes about as long as a commit of one. A larger batch would hold the journal's head lock
 * for too long.
 */
const MAX_BATCH = 100;

/** A memory to store, normalised and redacted. */
interface PendingNote extends NoteText {
  readonly actor: AgentActor;
  readonly reader: Reader;
  readonly sessionId: string | undefined;
  readonly sources: readonly string[];
  readonly tags: readonly string[];
  readonly options: NoteOptions;
}

interface CreatedNote extends PendingNote {
  readonly id: string;
  readonly provenance: Provenance;
  /** Id of a note with the same content that is not delivered, which this one replaces. */
  readonly undelivered: string | undefined;
  readonly marks: readonly NoteMark[];
}

/** Stores what agents write themselves. The memory is private and unverified, and never overwrites an existing one. */
@Injectable()
export class MemoryWriter {
  /** Lessons that arrive during a commit share the next one. */
  private readonly batcher = new Batcher<PendingNote, RememberResult>(MAX_BATCH, (batch) => this.storeAll(batch));

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'writableCategories'>,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
    private readonly reading: MemoryReadRepository,
    private readonly sources: MemorySourceRepository,
    private readonly verifier: VerifierAvailability,
    private readonly references: IdentifierReferences,
    private readonly capacity: MemoryCapacity,
    private readonly comparison: NoteComparison,
    private readonly stored: StoredLessons,
  ) {}

  /**
   * Throws `forbidden` if agents may not write notes of this kind on this server, `invalid` if a source is not visible
   * to the agent or the text holds nothing that can be stored, `not_found` if the note to replace is not the agent's
   * own note of that kind, and `conflict` if the note exceeds its budget.
   */
  async remember(
    actor: AgentActor,
    reader: Reader,
    memory: NewMemory,
    options: NoteOptions = LESSON,
  ): Promise<RememberResult> {
    this.requireWritable(options.kind);
    const note: PendingNote = {
      actor,
      reader,
      ...noteText(memory, options.kind),
      sessionId: memory.sessionId === undefined ? undefined : this.references.of(memory.sessionId),
      sources: [...new Set(memory.sources)].sort(),
      tags: memory.tags,
      options,
    };
    if (options === LESSON) return this.batcher.submit(note);
    const [result] = await this.storeAll([note]);
    if (!result) throw new Error('a note was neither stored nor refused');
    return result;
  }

  /** Stores every line that would be stored as a single memory, and returns the problem of every other line. */
  rememberAll(actor: AgentActor, reader: Reader, lines: NoteLines): Promise<RememberBatch> {
    this.requireWritable(LESSON.kind);
    return receiveLines(lines, NewMemory, (memory) => this.remember(actor, reader, memory));
  }

  /** Applies to every way in which an agent writes a memory: REST, MCP and the tools of a strategy. */
  private requireWritable({ category, tag }: NoteKind): void {
    const { writableCategories } = this.config;
    if (tag === CORE_NOTES.tag && !writableCategories.includes('CORE'))
      throw readOnly('GUILDBOOK_WRITABLE_CATEGORIES', 'The core block is read-only on this server');
    if (!writableCategories.includes(category))
      throw new DomainError(
        'forbidden',
        'memory.category_read_only',
        `Memories of the category ${category} are read-only on this server.`,
      );
  }

  /** Stores all of them or none. Equal contents of one agent are stored once. */
  private async storeAll(batch: readonly PendingNote[]): Promise<RememberResult[]> {
    const results = await this.database.transaction(async (tx) => {
      for (const { reader, sources } of batch) await this.requireVisible(tx, reader, sources);
      await this.sources.lockAgents(
        tx,
        batch.map(({ actor }) => actor.id),
      );
      const existing = await this.sources.findByContent(tx, batch.map(contentKeyOf));
      const created: CreatedNote[] = [];
      const kept = new Map<string, KeptNote[]>();
      const results: RememberResult[] = [];
      for (const note of batch) {
        const key = contentKey(contentKeyOf(note));
        const warnings = noteWarnings(note.tags, note.options.kind, note.inferable);
        const same = existing.get(key);
        if (same && (same.isDelivered || note.inferable !== undefined)) {
          results.push({ id: same.id, provenance: same.provenance, duplicate: true, warnings });
          continue;
        }
        const agentId = note.actor.id;
        const others = kept.get(agentId) ?? (await this.comparison.keptBy(tx, agentId, null));
        const written = writtenNote(note, this.ids.uuid(), this.clock.now());
        const replaced = [note.options.replaces, same?.id];
        const marks = this.comparison.marksOf(written, others).filter(({ id }) => !replaced.includes(id));
        kept.set(agentId, [written, ...others]);
        const stored = { id: written.id, provenance: this.provenanceFor(note) };
        existing.set(key, { ...stored, isDelivered: note.inferable === undefined });
        created.push({ ...note, ...stored, undelivered: same?.id, marks });
        results.push({ ...stored, duplicate: false, warnings: [...warnings, ...markWarnings(marks)] });
      }
      await this.create(tx, created);
      return results;
    });
    this.stored.announce(results.filter(({ duplicate }) => !duplicate).map(({ id }) => id));
    return results;
  }

  private provenanceFor({ actor }: PendingNote): Provenance {
    return provenanceOf(null, this.verifier.isUnavailable() ? 'write_without_verifier' : 'write', actor.kind);
  }

  private async create(tx: Tx, created: readonly CreatedNote[]): Promise<void> {
    const createdAt = this.clock.now();
    await this.memories.createAll(
      tx,
      created.map(({ id, actor, lesson, contentSha256, provenance, options, inferable, marks }) => ({
        id,
        scope: 'agent',
        kind: kindOf(options),
        category: options.kind.category,
        agentId: actor.id,
        lesson,
        // By writing it, its agent says that it does not know this by itself; the rules know better.
        controlTags: [...(inferable === undefined ? [NON_INFERABLE] : []), ...contradictionTags(marks)],
        provenance,
        proposer: NOTE_PROPOSER,
        contentSha256,
        createdAt,
      })),
    );
    for (const { id, undelivered } of created)
      if (undelivered !== undefined) await this.memories.supersede(tx, [undelivered], id, createdAt);
    for (const { id, actor, options } of created) await this.applyNoteOptions(tx, actor.id, id, options);
    await this.sources.addAll(
      tx,
      created.flatMap(({ id, sources }) => sources.map((sourceId) => ({ memoryId: id, sourceId }))),
    );
    await this.capacity.makeRoom(tx, storesOf(created));
    await this.journal.appendAll(
      tx,
      created.map(({ id, actor, provenance, contentSha256, sources, sessionId, options: { kind, replaces } }) => ({
        actor,
        action: 'memory.remembered',
        subject: { type: 'memory', id },
        data: {
          provenance,
          category: kind.category,
          contentSha256,
          sources,
          ...(replaces ? { replaces } : {}),
          ...(sessionId ? { session: sessionId } : {}),
        },
      })),
    );
  }

  /** Applies the checks that hold for notes but not for lessons. */
  private async applyNoteOptions(
    tx: Tx,
    agentId: string,
    id: string,
    { kind, replaces, budget }: NoteOptions,
  ): Promise<void> {
    if (replaces !== undefined) await this.replace(tx, agentId, kind, replaces, id);
    if (!budget) return;
    const { coreTokens, coreWritable } = await this.reading.coreSettings(tx, agentId);
    if (coreWritable === false) throw readOnly('coreWritable', 'The core block of this agent is read-only');
    const tokens = coreTokens ?? budget.tokens;
    requireWithin({ ...budget, tokens }, id, await this.reading.own(tx, agentId, kind, MAX_NOTES));
  }

  private async replace(tx: Tx, agentId: string, kind: NoteKind, id: string, by: string): Promise<void> {
    const notes = await this.reading.own(tx, agentId, kind, MAX_NOTES);
    const isOwnNote = notes.some((note) => note.id === id) && id !== by;
    if (isOwnNote && (await this.memories.supersede(tx, [id], by, this.clock.now())) === 1) return;
    throw new DomainError('not_found', 'memory.not_found', `You have no note ${id} of this kind.`);
  }

  private async requireVisible(tx: Tx, reader: Reader, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const visible = new Set((await this.reading.visible(tx, reader, ids)).map(({ id }) => id));
    const hidden = ids.filter((id) => !visible.has(id));
    if (hidden.length === 0) return;
    throw new DomainError(
      'invalid',
      'memory.unknown_source',
      `sources: ${hidden[0]} is not a memory that you can see.`,
      [{ field: 'sources', message: 'contains an id of a memory that you cannot see' }],
    );
  }
}

const readOnly = (setting: string, message: string): DomainError =>
  new DomainError('forbidden', 'memory.core_read_only', `${message}: ask an administrator to change ${setting}.`);

/** Throws `conflict` with what the notes would take. A note that alone is too large has to be shorter. */
function requireWithin({ tokens, tokensOf }: NoteBudget, id: string, notes: readonly MemoryEntry[]): void {
  const needed = tokensOf(notes);
  if (needed <= tokens) return;
  const alone = tokensOf(notes.filter((note) => note.id === id));
  const remedy = alone > tokens ? `This note alone takes ${alone}: shorten it.` : 'Replace another note.';
  throw new DomainError(
    'conflict',
    'memory.block_full',
    `The block has ${tokens} tokens and would take ${needed} with this note. ${remedy}`,
    [{ field: 'lesson', message: `takes the block to ${needed} of ${tokens} tokens` }],
  );
}

/** The agents of the notes, in one order, so that no two transactions wait for each other. */
function storesOf(created: readonly CreatedNote[]): WrittenStore[] {
  const agents = new Map(created.map(({ actor }) => [actor.id, actor]));
  return [...agents.values()]
    .sort((a, b) => compareText(a.id, b.id))
    .map((actor) => ({
      actor,
      agentId: actor.id,
      written: created.filter((note) => note.actor.id === actor.id).map(({ id }) => id),
    }));
}

const kindOf = ({ kind }: NoteOptions): string => (kind.tag === CORE_NOTES.tag ? 'core' : 'note');

/** A new note as others are compared with it. */
function writtenNote({ lesson, contentSha256, options }: PendingNote, id: string, createdAt: Date): KeptNote {
  return { id, kind: kindOf(options), content: lesson.activation.action, contentSha256, createdAt };
}

const contentKeyOf = ({ actor, contentSha256 }: PendingNote): ContentKey => ({ agentId: actor.id, contentSha256 });
