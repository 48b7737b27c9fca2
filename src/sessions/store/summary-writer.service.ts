import { Injectable } from '@nestjs/common';
import type { Actor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { MemoryCapacity } from '../../memory/lessons/memory-capacity.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { Tx } from '../../platform/database/database.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import type { SessionFigures, SummaryText } from '../entries/session-memory.schema.js';
import { AgentSessionRepository } from './agent-session.repository.js';
import { type EntryRow, SessionEntryRepository } from './session-entry.repository.js';
import { BY_AGENT_AT_CLOSE, checkedEntry, contentHash, type WriterColumns } from './stored-entry.js';

/** The session that a summary is about. */
export interface SummarisedSession {
  readonly agentId: string;
  readonly session: string;
  readonly project: string | null;
}

export interface NewSummary extends SummaryText, WriterColumns {
  readonly figures: SessionFigures | null;
  /** When the session ended. */
  readonly at: Date;
}

/** Writes the summaries of sessions. One that the agent or a person saved stays. */
@Injectable()
export class SummaryWriter {
  constructor(
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly capacity: MemoryCapacity,
    private readonly entries: SessionEntryRepository,
    private readonly sessions: AgentSessionRepository,
  ) {}

  /**
   * Stores the summary, once. `own`: all entries of the session, read under the lock of the agent. A summary of the agent
   * gets the figures alone, one of a person nothing. Returns whether anything changed.
   */
  async write(
    tx: Tx,
    actor: Actor,
    about: SummarisedSession,
    own: readonly EntryRow[],
    summary: NewSummary,
  ): Promise<boolean> {
    const known = own.find(({ kind }) => kind === 'session-summary');
    const isChanged = await this.store(tx, actor, about, known, summary);
    await this.sessions.markSummarised(tx, about.agentId, about.session);
    return isChanged;
  }

  private async store(
    tx: Tx,
    actor: Actor,
    about: SummarisedSession,
    known: EntryRow | undefined,
    summary: NewSummary,
  ): Promise<boolean> {
    const { figures, at } = summary;
    const isSaved = known?.writtenBy === 'agent' && known.writer !== BY_AGENT_AT_CLOSE.writer;
    if (known?.writtenBy === 'person' || (isSaved && figures === null)) return false;
    const { agentId, session, project } = about;
    const { content, tags, writtenBy, writer } = isSaved ? known : { ...summary, content: summary.text };
    const entry = checkedEntry(
      { kind: 'session-summary', content, tags: [...tags] },
      { at: at.toISOString(), session },
    );
    const now = this.clock.now();
    const contentSha256 = contentHash(entry);
    const next = { kind: 'session-summary', pinned: false, writtenBy, figures, contentSha256, updatedAt: now } as const;
    if (known && isSame(known, next)) return false;
    const texts = redactDeep({ content: entry.content, tags: [...entry.tags], writer }).value;
    const id = known?.id ?? this.ids.uuid();
    if (known) await this.entries.change(tx, id, next, texts);
    else {
      // A memory full of pinned entries has no room for a summary that no one asked for.
      if (!(await this.capacity.makeRoomForEntry(tx, agentId, project))) return false;
      const { updatedAt: _, ...columns } = next;
      await this.entries.insert(tx, { id, agentId, session, project, createdAt: at, ...columns }, texts, now);
    }
    await this.journal.append(tx, actor, {
      action: 'session.summarised',
      subject: { type: 'session_entry', id },
      data: { agent: agentId, session, by: writtenBy, contentSha256 },
    });
    return true;
  }
}

const isSame = (
  known: Pick<EntryRow, 'contentSha256' | 'writtenBy' | 'figures'>,
  next: Pick<EntryRow, 'contentSha256' | 'writtenBy' | 'figures'>,
): boolean =>
  known.contentSha256 === next.contentSha256 &&
  known.writtenBy === next.writtenBy &&
  (next.figures === null || figuresKey(known.figures) === figuresKey(next.figures));

const figuresKey = (figures: SessionFigures | null): string =>
  JSON.stringify([figures?.durationMinutes, figures?.turns, figures?.costUsd]);
