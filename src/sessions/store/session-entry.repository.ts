import { Injectable } from '@nestjs/common';
import { AGENT_MEMORY_LOCKS } from '../../memory/store/agent-lock.js';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { SESSION_LIMITS } from '../entries/session-memory.schema.js';
import { EntryRow } from './stored-entry.js';

/** No one states the confidence of an entry, and nothing reads it. */
const CONFIDENCE = 0.5;

/** What is written of an entry; its texts are redacted. */
export type EntryTexts = Sanitized<Pick<EntryRow, 'content' | 'tags'> & { readonly writer: string | null }>;
export type EntryPlace = Pick<EntryRow, 'agentId' | 'project' | 'session' | 'createdAt'>;
export type EntryChange = Pick<EntryRow, 'kind' | 'pinned' | 'writtenBy' | 'figures' | 'contentSha256' | 'updatedAt'>;

/** Whose entries an agent reads. */
export interface EntryReader {
  readonly agentId: string;
  /** The stated owner of the agent: agents with the same one share the entries of a project. */
  readonly owner: string | null;
  /** Names of the project. Undefined: the agent's own entries of every project. */
  readonly projects: readonly string[] | undefined;
}

const COLUMNS = Prisma.sql`
  e."id"::text AS "id", e."agent_id"::text AS "agentId", p."name" AS "agent", e."project", e."session_id" AS "session",
  e."kind", e."action" AS "content", e."tags", e."pinned_at" IS NOT NULL AS "pinned", e."written_by" AS "writtenBy",
  nullif(e."proposer", '') AS "writer", e."figures", e."content_sha256" AS "contentSha256", e."created_at" AS "createdAt",
  e."updated_at" AS "updatedAt"`;
const FROM = Prisma.sql`FROM "memory" e JOIN "principal" p ON p."id" = e."agent_id" AND e."scope" = 'project'`;
const SCOPE = { scope: 'project' } as const;

/** The own entries of the project and without one, and those of the project by other active agents of the same owner. */
const visibleTo = ({ agentId, owner, projects }: EntryReader): Prisma.Sql =>
  projects === undefined
    ? Prisma.sql`e."superseded_at" IS NULL AND e."agent_id" = ${agentId}::uuid`
    : Prisma.sql`e."superseded_at" IS NULL AND (
        (e."agent_id" = ${agentId}::uuid AND (e."project" IS NULL OR e."project" = ANY(${[...projects]}::text[])))
        OR (e."project" = ANY(${[...projects]}::text[]) AND ${owner}::text IS NOT NULL
            AND lower(p."owner") = lower(${owner}::text) AND p."disabled_at" IS NULL))`;

/** Newest first. */
const NEWEST = Prisma.sql`e."created_at" DESC, e."updated_at" DESC, e."id"`;
/** The place of an entry among those of its agent: by it, each agent has its share of what is read. */
const TURN = Prisma.sql`row_number() OVER (PARTITION BY e."agent_id" ORDER BY ${NEWEST})`;

type RawEntry = Record<string, unknown>;

@Injectable()
export class SessionEntryRepository {
  /**
   * The newest live entries that the agent reads, until their texts have `characters`. Of both limits each agent has its
   * share: an entry counts as much of its agent's as it takes of the limit that it takes more of.
   */
  async visible(tx: Tx, reader: EntryReader, limits: { entries: number; characters: number }): Promise<EntryRow[]> {
    const rows = await tx.$queryRaw<RawEntry[]>`
      SELECT * FROM (
        SELECT t.*, sum(length(t."content")) OVER (ORDER BY t."turn", t."createdAt" DESC, t."updatedAt" DESC, t."id") AS "read"
        FROM (
          SELECT ${COLUMNS}, sum(greatest(length(e."action"), ${Math.ceil(limits.characters / limits.entries)}::int))
              OVER (PARTITION BY e."agent_id" ORDER BY ${NEWEST}) AS "turn"
          ${FROM} WHERE ${visibleTo(reader)}) t
        ORDER BY t."turn", t."createdAt" DESC, t."updatedAt" DESC, t."id" LIMIT ${limits.entries}) n
      WHERE n."read" <= ${limits.characters} ORDER BY n."createdAt" DESC, n."updatedAt" DESC, n."id"`;
    return entriesOf(rows);
  }

  /** The entries that a preamble may hold: the newest summaries, pinned ones and open threads, of each agent its share. */
  async forPreamble(tx: Tx, reader: EntryReader, limits: { sessions: number; pinned: number }): Promise<EntryRow[]> {
    const kept = (which: Prisma.Sql, most: number): Prisma.Sql => Prisma.sql`
      (SELECT ${COLUMNS} ${FROM} WHERE ${visibleTo(reader)} AND ${which}
        ORDER BY ${TURN}, e."agent_id" <> ${reader.agentId}::uuid, ${NEWEST} LIMIT ${most})`;
    const rows = await tx.$queryRaw<RawEntry[]>`
      ${kept(Prisma.sql`e."kind" = 'session-summary'`, limits.sessions)} UNION ALL
      ${kept(Prisma.sql`e."kind" <> 'open-thread' AND e."pinned_at" IS NOT NULL`, limits.pinned)} UNION ALL
      ${kept(Prisma.sql`e."kind" = 'open-thread'`, limits.pinned)}`;
    return entriesOf(rows);
  }

  /** The entries with this id, or of this session, that the agent reads, oldest first. */
  async visibleAt(tx: Tx, reader: EntryReader, at: { id: string } | { session: string }): Promise<EntryRow[]> {
    const place = 'id' in at ? Prisma.sql`e."id" = ${at.id}::uuid` : Prisma.sql`e."session_id" = ${at.session}`;
    const rows = await tx.$queryRaw<RawEntry[]>`
      SELECT ${COLUMNS} ${FROM} WHERE ${place} AND ${visibleTo(reader)}
      ORDER BY e."created_at", e."updated_at", e."id" LIMIT ${SESSION_LIMITS.entriesOfSession + 1}`;
    return entriesOf(rows);
  }

  /** Locks what the agent knows until the transaction ends, and reads the live entries of the session, oldest first. */
  async lockSession(tx: Tx, agentId: string, session: string): Promise<EntryRow[]> {
    await tx.$queryRaw`
      SELECT pg_advisory_xact_lock(n, hashtext(${agentId}))::text FROM unnest(${AGENT_MEMORY_LOCKS}::int[]) n`;
    return this.ofSession(tx, agentId, session);
  }

  /** All live entries of a session of one agent, oldest first. */
  ofSession(tx: Tx, agentId: string, session: string): Promise<EntryRow[]> {
    return this.visibleAt(tx, { agentId, owner: null, projects: undefined }, { session });
  }

  /** Whether an entry with this content was ever stored for the session, ended ones included. */
  async wasStored(tx: Tx, agentId: string, session: string, contentSha256: string): Promise<boolean> {
    const found = await tx.memory.findFirst({
      where: { ...SCOPE, agentId, sessionId: session, contentSha256 },
      select: { id: true },
    });
    return found !== null;
  }

  async insert(
    tx: Tx,
    { session, ...place }: EntryPlace & { readonly id: string },
    change: EntryChange,
    texts: EntryTexts,
    controlTags: readonly string[],
  ): Promise<void> {
    await tx.memory.createMany({
      data: [
        {
          ...SCOPE,
          ...columnsOf(change, texts, place.createdAt),
          ...place,
          sessionId: session,
          discovery: '',
          condition: '',
          rationale: '',
          steps: [],
          confidence: CONFIDENCE,
          controlTags: [...controlTags],
          provenance: 'unverified',
          awaitingProposer: false,
        },
      ],
    });
  }

  /** No longer asks about this entry: it says something else now. */
  async settle(tx: Tx, agentId: string, id: string): Promise<void> {
    await tx.$executeRaw`
      UPDATE "memory" SET "control_tags" = array_remove("control_tags", ${`contradicts:${id}`}::text)
       WHERE "agent_id" = ${agentId}::uuid AND "scope" IN ('agent', 'project') AND ${`contradicts:${id}`}::text = ANY ("control_tags")`;
  }

  /** Replaces what a live entry says. */
  async change(tx: Tx, id: string, change: EntryChange, texts: EntryTexts): Promise<void> {
    await tx.memory.updateMany({
      where: { ...SCOPE, id, supersededAt: null },
      data: { ...columnsOf(change, texts, change.updatedAt), controlTags: [] },
    });
  }
}

/** What an entry says, as the columns of its memory. A pin of an entry has the time from which it holds. */
function columnsOf(
  { kind, pinned, writtenBy, figures, contentSha256, updatedAt }: EntryChange,
  texts: EntryTexts,
  pinnedAt: Date,
) {
  return {
    kind,
    category: kind === 'session-summary' || kind === 'open-thread' ? 'EPISODIC' : 'SEMANTIC',
    action: texts.content,
    tags: [...texts.tags],
    proposer: texts.writer ?? '',
    pinnedAt: pinned ? pinnedAt : null,
    writtenBy,
    figures: figures ?? Prisma.DbNull,
    contentSha256,
    updatedAt,
  };
}

const entriesOf = (rows: readonly RawEntry[]): EntryRow[] => readRows('memory', rows, (row) => EntryRow.parse(row));
