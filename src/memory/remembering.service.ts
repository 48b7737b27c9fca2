import { Injectable } from '@nestjs/common';
import type { AgentActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { canonicalJson, sha256 } from '../platform/canonical-json.js';
import { Clock } from '../platform/clock.js';
import { Database, type Tx } from '../platform/database.js';
import { DomainError } from '../platform/domain.errors.js';
import { Ids } from '../platform/ids.js';
import { clip } from '../untrusted/clip.js';
import { redactDeep, type Sanitized } from '../untrusted/redact-deep.js';
import { Lesson } from './lesson.schema.js';
import { MemoryRepository } from './memory.repository.js';
import type { MemoryEntry } from './memory.schema.js';
import { MemoryReadingRepository } from './memory-reading.repository.js';
import { MemorySourceRepository } from './memory-source.repository.js';
import { provenanceOf } from './provenance.js';
import type { NoteKind, Reader } from './readable.js';
import type { NewMemory, Remembered } from './remember.schema.js';
import { VerifierStanding } from './verifier-standing.service.js';

const NON_INFERABLE = 'non-inferable';
const UNTAGGED = `It has no tag "${NON_INFERABLE}", and so is not told. Tag what a model could not know by itself.`;
/** Nobody said how sure it is; the order of entries is all that this decides. */
const CONFIDENCE = 0.5;

/** Where a note goes, and what it may do there. */
export interface NoteOptions {
  readonly kind: NoteKind;
  /** The note of this kind that it takes the place of. */
  readonly replaces?: string | undefined;
  /** Whether all notes of this kind together are few enough; nothing is stored where they are not. */
  readonly fits?: (notes: readonly MemoryEntry[]) => boolean;
}

const LESSON: NoteOptions = { kind: { category: 'PROCEDURAL' } };
/** Of one kind: what a budget is counted over. */
const MOST_NOTES = 1_000;

/** What agents write down themselves: private and unverified, and never over anything that is there (spec R4). */
@Injectable()
export class Remembering {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
    private readonly reading: MemoryReadingRepository,
    private readonly sources: MemorySourceRepository,
    private readonly verifier: VerifierStanding,
  ) {}

  /**
   * Throws `invalid` for a source that the agent cannot see, and for a text of which nothing can be stored; `not_found`
   * for a note to replace that is none of its kind and its own; `conflict` where it does not fit.
   */
  async remember(
    actor: AgentActor,
    reader: Reader,
    memory: NewMemory,
    { kind, replaces, fits }: NoteOptions = LESSON,
  ): Promise<Remembered> {
    const { lesson, sessionId } = stored(memory, kind.tag);
    const tagged = memory.tags.includes(NON_INFERABLE);
    const contentSha256 = sha256(canonicalJson(lesson));
    const sources = [...new Set(memory.sources)].sort();
    return this.database.transaction(async (tx) => {
      await this.requireVisible(tx, reader, sources);
      await this.sources.lockAgent(tx, actor.id);
      const warnings = tagged ? [] : [UNTAGGED];
      const known = await this.sources.sameContent(tx, actor.id, contentSha256);
      if (known !== undefined) return { ...known, duplicate: true, warnings };
      const provenance = provenanceOf(null, this.verifier.isAway() ? 'write_unasked' : 'write', actor.kind);
      const { id } = await this.memories.create(tx, {
        id: this.ids.uuid(),
        scope: 'AGENT',
        category: kind.category,
        agentId: actor.id,
        lesson,
        controlTags: tagged ? [NON_INFERABLE] : [],
        provenance,
        proposer: 'the agent itself',
        awaitingProposer: false,
        contentSha256,
        createdAt: this.clock.now(),
      });
      if (replaces !== undefined) await this.replace(tx, actor.id, kind, replaces, id);
      if (fits && !fits(await this.reading.own(tx, actor.id, kind, MOST_NOTES)))
        throw new DomainError('conflict', 'memory.block_full', 'There is no room for it: replace another note.');
      await this.sources.add(tx, id, sources);
      await this.journal.append(tx, actor, {
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
      });
      return { id, provenance, duplicate: false, warnings };
    });
  }

  private async replace(tx: Tx, agentId: string, kind: NoteKind, id: string, by: string): Promise<void> {
    const notes = await this.reading.own(tx, agentId, kind, MOST_NOTES);
    const known = notes.some((note) => note.id === id) && id !== by;
    if (known && (await this.memories.supersede(tx, [id], by, this.clock.now())) === 1) return;
    throw new DomainError('not_found', 'memory.not_found', `There is no note ${id} of this kind that is yours.`);
  }

  private async requireVisible(tx: Tx, reader: Reader, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const seen = new Set((await this.reading.visible(tx, reader, ids)).map(({ id }) => id));
    const unseen = ids.filter((id) => !seen.has(id));
    if (unseen.length === 0) return;
    throw new DomainError('invalid', 'memory.unknown_source', `sources: ${unseen[0]} is no memory that you can see.`, [
      { field: 'sources', message: 'holds an id that is no memory that you can see' },
    ]);
  }
}

/** The lesson as it is kept: redacted, and within its bounds after that. */
function stored(memory: NewMemory, block?: string): { lesson: Sanitized<Lesson>; sessionId: string | undefined } {
  const { lesson: text, task = 'Not said.', why = 'Not said.', steps, tags, sessionId } = memory;
  const { value } = redactDeep({ text, task, why, steps: steps ?? [text], tags, sessionId: sessionId ?? '' });
  const cut = {
    discovery: clip(value.text, 600),
    activation: {
      condition: clip(value.task, 2_000),
      action: clip(value.text, 2_000),
      rationale: clip(value.why, 2_000),
    },
    steps: value.steps.map((step) => clip(step, 500)),
    confidence: CONFIDENCE,
    tags: [
      ...(block ? [block] : []),
      ...value.tags.map((tag) => clip(tag, 60)).filter((tag) => tag !== NON_INFERABLE),
    ].slice(0, 20),
  };
  // Again: a cut can uncover what stood inside a longer word.
  const lesson = redactDeep(cut).value;
  if (!Lesson.safeParse(lesson).success)
    throw new DomainError('invalid', 'memory.unusable_text', 'lesson: holds nothing that can be stored', [
      { field: 'lesson', message: 'holds nothing that can be stored' },
    ]);
  return { lesson, sessionId: value.sessionId === '' ? undefined : value.sessionId };
}
