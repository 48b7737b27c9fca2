import { Injectable } from '@nestjs/common';
import type { AgentActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Batcher } from '../../platform/background/batcher.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import { redactDeep, type Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { clip } from '../../untrusted/text/clip.js';
import { VerifierAvailability } from '../provenance/verifier-availability.service.js';
import { Lesson, type Provenance } from '../store/lesson.schema.js';
import { MemoryRepository } from '../store/memory.repository.js';
import type { MemoryEntry } from '../store/memory.schema.js';
import { MemoryReadRepository } from '../store/memory-read.repository.js';
import { type ContentKey, contentKey, MemorySourceRepository } from '../store/memory-source.repository.js';
import { provenanceOf } from '../store/provenance.js';
import type { NoteKind, Reader } from '../store/recallable-memory.js';
import type { NewMemory, RememberResult } from './remember.schema.js';

const NON_INFERABLE = 'non-inferable';
const UNTAGGED_WARNING = `It has no tag "${NON_INFERABLE}", so it will not be recalled. Add the tag if no model knows this.`;
/** The agent gives no confidence. The value affects only the order of entries. */
const DEFAULT_CONFIDENCE = 0.5;

/** The kind of a note, and the conditions under which it is stored. */
export interface NoteOptions {
  readonly kind: NoteKind;
  /** Id of the note of the same kind that it replaces. */
  readonly replaces?: string | undefined;
  /** Checks all notes of this kind, the new one included, against a budget. If it returns false, nothing is stored. */
  readonly fits?: (notes: readonly MemoryEntry[]) => boolean;
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
interface PendingNote {
  readonly actor: AgentActor;
  readonly reader: Reader;
  readonly lesson: Sanitized<Lesson>;
  readonly contentSha256: string;
  readonly sessionId: string | undefined;
  readonly sources: readonly string[];
  readonly tagged: boolean;
  readonly options: NoteOptions;
}

/** Stores what agents write themselves. The memory is private and unverified, and never overwrites an existing one. */
@Injectable()
export class MemoryWriter {
  /** Lessons that arrive during a commit share the next one. */
  private readonly batcher = new Batcher<PendingNote, RememberResult>(MAX_BATCH, (batch) => this.storeAll(batch));

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
    private readonly reading: MemoryReadRepository,
    private readonly sources: MemorySourceRepository,
    private readonly verifier: VerifierAvailability,
    private readonly references: IdentifierReferences,
  ) {}

  /**
   * Throws `invalid` if a source is not visible to the agent or the text holds nothing that can be stored, `not_found`
   * if the note to replace is not the agent's own note of that kind, and `conflict` if the note exceeds its budget.
   */
  async remember(
    actor: AgentActor,
    reader: Reader,
    memory: NewMemory,
    options: NoteOptions = LESSON,
  ): Promise<RememberResult> {
    const note: PendingNote = {
      actor,
      reader,
      ...normaliseNote(memory, options.kind.tag),
      sessionId: memory.sessionId === undefined ? undefined : this.references.of(memory.sessionId),
      sources: [...new Set(memory.sources)].sort(),
      tagged: memory.tags.includes(NON_INFERABLE),
      options,
    };
    if (options === LESSON) return this.batcher.submit(note);
    const [result] = await this.storeAll([note]);
    if (!result) throw new Error('a note was neither stored nor refused');
    return result;
  }

  /** Stores all of them or none. Equal contents of one agent are stored once. */
  private storeAll(batch: readonly PendingNote[]): Promise<RememberResult[]> {
    return this.database.transaction(async (tx) => {
      for (const { reader, sources } of batch) await this.requireVisible(tx, reader, sources);
      await this.sources.lockAgents(
        tx,
        batch.map(({ actor }) => actor.id),
      );
      const existing = await this.sources.findByContent(tx, batch.map(contentKeyOf));
      const created: (PendingNote & { readonly id: string; readonly provenance: Provenance })[] = [];
      const results = batch.map((note): RememberResult => {
        const warnings = note.tagged ? [] : [UNTAGGED_WARNING];
        const duplicateOf = existing.get(contentKey(contentKeyOf(note)));
        if (duplicateOf !== undefined) return { ...duplicateOf, duplicate: true, warnings };
        const provenance = provenanceOf(
          null,
          this.verifier.isUnavailable() ? 'write_without_verifier' : 'write',
          note.actor.kind,
        );
        const stored = { id: this.ids.uuid(), provenance };
        existing.set(contentKey(contentKeyOf(note)), stored);
        created.push({ ...note, ...stored });
        return { ...stored, duplicate: false, warnings };
      });
      await this.create(tx, created);
      return results;
    });
  }

  private async create(
    tx: Tx,
    created: readonly (PendingNote & { id: string; provenance: Provenance })[],
  ): Promise<void> {
    const createdAt = this.clock.now();
    await this.memories.createAll(
      tx,
      created.map(({ id, actor, lesson, tagged, contentSha256, provenance, options }) => ({
        id,
        scope: 'agent',
        category: options.kind.category,
        agentId: actor.id,
        lesson,
        controlTags: tagged ? [NON_INFERABLE] : [],
        provenance,
        proposer: 'the agent itself',
        awaitingProposer: false,
        contentSha256,
        createdAt,
      })),
    );
    for (const { id, actor, options } of created) await this.applyNoteOptions(tx, actor.id, id, options);
    await this.sources.addAll(
      tx,
      created.flatMap(({ id, sources }) => sources.map((sourceId) => ({ memoryId: id, sourceId }))),
    );
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
    { kind, replaces, fits }: NoteOptions,
  ): Promise<void> {
    if (replaces !== undefined) await this.replace(tx, agentId, kind, replaces, id);
    if (fits && !fits(await this.reading.own(tx, agentId, kind, MAX_NOTES)))
      throw new DomainError('conflict', 'memory.block_full', 'The block is full: replace another note.');
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

const contentKeyOf = ({ actor, contentSha256 }: PendingNote): ContentKey => ({ agentId: actor.id, contentSha256 });

/** Redacts the memory and clips it to its bounds. */
function normaliseNote(memory: NewMemory, block?: string): Pick<PendingNote, 'lesson' | 'contentSha256'> {
  const { lesson: text, task = 'Not said.', why = 'Not said.', steps, tags } = memory;
  const { value } = redactDeep({ text, task, why, steps: steps ?? [text], tags });
  const clipped = {
    discovery: clip(value.text, 600),
    activation: {
      condition: clip(value.task, 2_000),
      action: clip(value.text, 2_000),
      rationale: clip(value.why, 2_000),
    },
    steps: value.steps.map((step) => clip(step, 500)),
    confidence: DEFAULT_CONFIDENCE,
    tags: [
      ...(block ? [block] : []),
      ...value.tags.map((tag) => clip(tag, 60)).filter((tag) => tag !== NON_INFERABLE),
    ].slice(0, 20),
  };
  // Redact again: clipping can expose a secret that was part of a longer word.
  const lesson = redactDeep(clipped).value;
  if (!Lesson.safeParse(lesson).success)
    throw new DomainError('invalid', 'memory.unusable_text', 'lesson: contains no text that can be stored', [
      { field: 'lesson', message: 'contains no text that can be stored' },
    ]);
  return { lesson, contentSha256: sha256(canonicalJson(lesson)) };
}
