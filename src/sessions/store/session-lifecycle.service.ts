import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import { jobActor } from '../../journal/actor.js';
import { Clock } from '../../platform/base/clock.js';
import { Database } from '../../platform/database/database.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import type { SessionEntry, SummaryText } from '../entries/session-memory.schema.js';
import { durationOf } from '../entries/session-overview.js';
import { summaryByRules } from '../entries/session-summary.js';
import { AgentSessionRepository, type AgentSessionRow } from './agent-session.repository.js';
import { EntryAccess } from './entry-access.service.js';
import { EntryWriter, notAfter } from './entry-writer.service.js';
import { SessionEntryRepository } from './session-entry.repository.js';
import {
  BY_AGENT_AT_CLOSE,
  BY_RULES,
  type EntryRow,
  entryOf,
  projectLabelOf,
  type WriterColumns,
} from './stored-entry.js';
import type { SessionClose, SessionStart } from './stored-session.schema.js';

export const SUMMARIES = jobActor('session-summaries');
/** Sessions that are summarised at once, at the start of another one. */
const MOST_AT_START = 20;

/** Starts and closes sessions, and summarises those that were never closed. */
@Injectable()
export class SessionLifecycle {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly references: IdentifierReferences,
    private readonly access: EntryAccess,
    private readonly entries: SessionEntryRepository,
    private readonly sessions: AgentSessionRepository,
    private readonly writer: EntryWriter,
  ) {}

  /** Summarises the agent's earlier sessions that have no summary. Returns the reference of the session. */
  async start(caller: Caller, { sessionId, agent: agentName }: SessionStart): Promise<string> {
    const { agent } = await this.access.resolve(caller, agentName);
    const session = this.references.of(sessionId);
    await this.summariseOpen(agent.id, session);
    return session;
  }

  /** Summarises the sessions of an agent that are open, except this one. */
  async summariseOpen(agentId: string, except: string): Promise<void> {
    const open = await this.sessions.open(this.database.client, agentId, null, MOST_AT_START);
    for (const one of open) if (one.session !== except) await this.summariseUnclosed(one);
  }

  /** Stores the summary of a session and its end. A second call with the same summary changes nothing. */
  async close(caller: Caller, sessionId: string, close: SessionClose): Promise<void> {
    const { agent, actor } = await this.access.resolve(caller, close.agent);
    const now = this.clock.now();
    const [startedAt, endedAt] = [notAfter(now, close.startedAt), notAfter(now, close.endedAt)];
    const [session, project] = [this.references.of(sessionId), projectLabelOf(close.project)];
    await this.database.transaction(async (tx) => {
      const own = await this.entries.lockSession(tx, agent.id, session);
      if (own.length === 0 && close.summary === undefined && close.figures === undefined) return;
      await this.sessions.ensure(tx, { agentId: agent.id, session, project, startedAt });
      const { turns = null, costUsd = null } = close.figures ?? {};
      await this.sessions.markEnded(tx, agent.id, session, { endedAt, turns, costUsd });
      const known = await this.sessions.find(tx, agent.id, session);
      const { text, tags = [] } = close.summary ?? draftOf(own, known?.project ?? project);
      const writer = close.summary === undefined ? BY_RULES : closerOf(caller);
      const figures = close.figures ?? durationOf(startedAt, endedAt);
      const about = { agentId: agent.id, session, project: known?.project ?? project };
      await this.writer.summarise(tx, actor, about, own, { text, tags, ...writer, figures, at: endedAt });
    });
  }

  /** One that was reported has its summary from the report, which says more than its entries do. */
  private summariseUnclosed({ agentId, session, project, startedAt, executionId }: AgentSessionRow): Promise<void> {
    return this.database.transaction(async (tx) => {
      if (executionId !== null) return;
      const own = await this.entries.lockSession(tx, agentId, session);
      const at = own.filter(({ kind }) => kind !== 'session-summary').at(-1)?.createdAt;
      if (at === undefined) return this.sessions.markSummarised(tx, agentId, session);
      const draft = { ...draftOf(own, project), ...BY_RULES, figures: durationOf(startedAt, at), at };
      await this.writer.summarise(tx, SUMMARIES, { agentId, session, project }, own, draft);
    });
  }
}

/** What a summary may repeat: no entry of another project than that of the session. */
export const summarisable = (own: readonly EntryRow[], project: string | null): SessionEntry[] =>
  own
    .filter((entry) => entry.kind !== 'session-summary' && (project === null || (entry.project ?? project) === project))
    .map(entryOf);

/** The summary by rules of the entries alone. */
const draftOf = (own: readonly EntryRow[], project: string | null): SummaryText =>
  summaryByRules(summarisable(own, project), {});

const closerOf = ({ kind, name }: Caller): WriterColumns =>
  kind === 'agent' ? BY_AGENT_AT_CLOSE : { writtenBy: 'person', writer: name };
