import { Injectable } from '@nestjs/common';
import { readRow, readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { insertRows, type SqlClient, selectColumns } from '../../platform/database/sql-client.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { AGENT_MEMORY_LOCKS } from './agent-lock.js';
import type { AnsweredClaim } from './answered-claim.js';
import { type Category, type Lesson, type Provenance, partsOf, type Scope } from './lesson.schema.js';
import type { LessonCost, MemoryEntry } from './memory.schema.js';
import { type Row, toEntry } from './memory-row.js';
import { SUCCESS } from './recallable-memory.js';

/** The proposer of a lesson whose words a person wrote. */
export const CORRECTED_BY_PERSON = 'a person';

const COLUMNS = selectColumns(Object.keys(Prisma.MemoryScalarFieldEnum), 'm');

export interface NewMemory {
  readonly id: string;
  readonly scope: Scope;
  /** `lesson` by default, `note` or `core`. */
  readonly kind?: string;
  /** PROCEDURAL by default. */
  readonly category?: Category;
  readonly lesson: Sanitized<Lesson>;
  readonly controlTags: readonly string[];
  readonly provenance: Provenance;
  readonly proposer: string;
  /** False by default. */
  readonly awaitingProposer?: boolean;
  readonly contentSha256: string;
  readonly createdAt: Date;
  readonly agentId?: string;
  readonly role?: string;
  readonly department?: string;
  readonly sharedById?: string;
  readonly sourceExecutionId?: string;
  readonly sessionId?: string;
  readonly cost?: LessonCost;
  readonly propagatedFromId?: string;
  readonly failureKey?: string;
  readonly remedyKey?: string | null;
  readonly createdByRunId?: string;
  readonly relevanceCount?: number;
  readonly lastRetrievedAt?: Date | null;
  readonly skill?: { readonly name: string; readonly version: number; readonly proposalId: string };
}

export type Origin = Pick<NewMemory, 'kind' | 'failureKey' | 'remedyKey' | 'sessionId' | 'sourceExecutionId'>;

export interface SkillVersions {
  readonly live: { readonly id: string; readonly version: number } | undefined;
  readonly last: number;
}

export interface MemoryCount {
  readonly scope: Scope;
  readonly provenance: Provenance;
  readonly n: number;
  readonly copies: number;
}

/** The columns that hold a lesson. */
export const lessonColumns = (lesson: Lesson) => ({
  discovery: lesson.discovery,
  ...lesson.activation,
  steps: lesson.steps,
  parts: partsOf(lesson),
  confidence: lesson.confidence,
  tags: [...lesson.tags],
});

function toData({ lesson, skill, controlTags, cost, ...rest }: NewMemory) {
  return {
    kind: 'lesson',
    category: 'PROCEDURAL',
    awaitingProposer: false,
    ...rest,
    ...lessonColumns(lesson),
    controlTags: [...controlTags],
    ...(cost ? { cost: { ...cost } } : {}),
    ...(skill ? { skillName: skill.name, version: skill.version, proposalId: skill.proposalId } : {}),
  };
}

@Injectable()
export class MemoryRepository {
  /** Until the transaction ends, no other one stores, counts or ends what this agent knows. */
  async lockAgent(tx: Tx, agentId: string): Promise<void> {
    await tx.$queryRaw`
      SELECT pg_advisory_xact_lock(n, hashtext(${agentId}))::text FROM unnest(${AGENT_MEMORY_LOCKS}::int[]) n`;
  }

  async create(tx: Tx, memory: NewMemory): Promise<MemoryEntry> {
    return toEntry(await tx.memory.create({ data: toData(memory) }));
  }

  async createAll(tx: SqlClient, memories: readonly NewMemory[]): Promise<void> {
    await insertRows(tx, 'memory', memories.map(toData));
  }

  /**
   * Compare-and-set: returns how many of them were live until now. Their copies at other agents end with them, because
   * a lesson that is no longer true must not be delivered elsewhere.
   */
  async supersede(tx: Tx, ids: readonly string[], by: string | null, at: Date, reason?: string): Promise<number> {
    const { count } = await tx.memory.updateMany({
      where: { id: { in: [...ids] }, supersededAt: null },
      data: { supersededAt: at, supersededById: by, ...(reason ? { endReason: reason } : {}) },
    });
    if (count > 0)
      await tx.memory.updateMany({
        where: { propagatedFromId: { in: [...ids] }, supersededAt: null },
        data: { supersededAt: at, endReason: 'source_ended' },
      });
    return count;
  }

  /**
   * Claims of agents that nothing overcame a failure, where a lesson of the agent, or an approved skill that every agent
   * receives, overcomes it: of one agent, or those that these memories answer or are. Not those that a person vouches for
   * or restored.
   */
  answered(
    tx: SqlClient,
    which: { readonly agentId: string } | { readonly about: readonly string[] },
  ): Promise<AnsweredClaim[]> {
    const selected =
      'agentId' in which
        ? Prisma.sql`c."agent_id" = ${which.agentId}::uuid`
        : Prisma.sql`c."failure_key" IN (SELECT "key" FROM "failures")`;
    const about = 'about' in which ? [...which.about] : [];
    // Of an agent, any memory may be the answer.
    const isAbout = Prisma.sql`(cardinality(${about}::uuid[]) = 0 OR ARRAY[o."id", c."id"] && ${about}::uuid[])`;
    return tx.$queryRaw<AnsweredClaim[]>`
      WITH "failures" AS MATERIALIZED (
        SELECT w."failure_key" AS "key" FROM "memory" w WHERE w."id" = ANY (${about}::uuid[])
        UNION
        SELECT unnest(p."fingerprints" || p."fingerprint") FROM "memory" w JOIN "proposal" p ON p."id" = w."proposal_id"
         WHERE w."id" = ANY (${about}::uuid[]))
      SELECT c."id"::text AS "id", a."id"::text AS "by" FROM "memory" c CROSS JOIN LATERAL (
        SELECT o."id", o."scope" FROM "memory" o
         WHERE o."failure_key" = c."failure_key" AND o."agent_id" = c."agent_id" AND o."scope" = 'agent'
           AND o."remedy_key" IS NOT NULL AND o."superseded_at" IS NULL AND ${isAbout}
        UNION ALL
        SELECT o."id", o."scope" FROM "proposal" p JOIN "memory" o ON o."proposal_id" = p."id"
         WHERE (p."fingerprint" = c."failure_key" OR p."fingerprints" @> ARRAY[c."failure_key"])
           AND o."scope" = 'org' AND o."superseded_at" IS NULL AND ${isAbout}
           AND NOT EXISTS (SELECT FROM "skill_rollout" r
                            WHERE r."memory_id" = o."id" AND r."until" IS NULL AND r."percent" < 100)
        ORDER BY "scope", "id" LIMIT 1) a
       WHERE c."scope" = 'agent' AND c."superseded_at" IS NULL AND c."failure_key" IS NOT NULL AND c."remedy_key" IS NULL
         AND c."pinned_at" IS NULL AND c."provenance" <> 'verified' AND c."proposer" <> ${CORRECTED_BY_PERSON}
         AND c."restored_from_run_id" IS NULL
         AND NOT EXISTS (SELECT FROM "memory_evidence" e WHERE e."memory_id" = c."id" AND e."kind" = 'person')
         AND ${selected} ORDER BY c."id"`;
  }

  /** Ends the claims that one of these memories answers, and those among them that another live memory answers. */
  async endAnswered(tx: SqlClient, about: readonly string[], at: Date): Promise<AnsweredClaim[]> {
    const answered = about.length === 0 ? [] : await this.answered(tx, { about });
    if (answered.length === 0) return [];
    const ended = await tx.$queryRaw<{ id: string }[]>`
        UPDATE "memory" m SET "superseded_at" = ${at}, "end_reason" = CASE WHEN m."id" = c."id" THEN 'answered' ELSE 'source_ended' END,
               "superseded_by_id" = CASE WHEN m."id" = c."id" THEN c."by" END
          FROM unnest(${answered.map(({ id }) => id)}::uuid[], ${answered.map(({ by }) => by)}::uuid[]) AS c("id", "by")
         WHERE (m."id" = c."id" OR m."propagated_from_id" = c."id") AND m."superseded_at" IS NULL
        RETURNING m."id"::text AS "id"`;
    const ids = new Set(ended.map(({ id }) => id));
    return answered.filter(({ id }) => ids.has(id));
  }

  /** Compare-and-set: ends live skills, each with an optional successor. Returns how many were live until now. */
  endSkills(tx: SqlClient, ended: readonly { id: string; by: string | null }[], at: Date): Promise<number> {
    return tx.$executeRaw`
      UPDATE "memory" m SET "superseded_at" = ${at}, "superseded_by_id" = e."by"
      FROM unnest(${ended.map(({ id }) => id)}::uuid[], ${ended.map(({ by }) => by)}::uuid[]) AS e("id", "by")
      WHERE m."id" = e."id" AND m."scope" = 'org' AND m."superseded_at" IS NULL`;
  }

  /**
   * Live procedures of an agent, or the given ones, that may be copied to others: its own, neither copies nor placeholders.
   * Notes of other categories are never copied. Oldest first.
   */
  async copyableLessons(
    tx: Tx,
    which: { readonly agentId: string } | { readonly ids: readonly string[] },
  ): Promise<MemoryEntry[]> {
    const rows = await tx.memory.findMany({
      where: {
        scope: 'agent',
        category: 'PROCEDURAL',
        ...('ids' in which ? { id: { in: [...which.ids] } } : which),
        supersededAt: null,
        propagatedFromId: null,
        awaitingProposer: false,
      },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return readRows('memory', rows, toEntry);
  }

  /**
   * Agents that have or had a copy of this lesson, or that hold a live lesson with the same content or another remedy for the
   * same failure, and the number of copies that were ever made.
   */
  async holdersOf(
    tx: Tx,
    sourceId: string,
    contentSha256: string,
  ): Promise<{ readonly copied: number; readonly holders: ReadonlySet<string> }> {
    const { failureKey, remedyKey = null } = await this.originOf(tx, sourceId);
    const remedy = failureKey === SUCCESS ? remedyKey : { not: null };
    const rows = await tx.memory.findMany({
      where: {
        scope: 'agent',
        OR: [
          { propagatedFromId: sourceId },
          { contentSha256, supersededAt: null },
          ...(failureKey === undefined ? [] : [{ failureKey, remedyKey: remedy, supersededAt: null }]),
        ],
      },
      select: { agentId: true, propagatedFromId: true },
    });
    return {
      copied: rows.filter(({ propagatedFromId }) => propagatedFromId === sourceId).length,
      holders: new Set(rows.flatMap(({ agentId }) => agentId ?? [])),
    };
  }

  /** What a lesson that takes the place of another one takes over beside its texts. */
  async originOf(tx: Tx, id: string): Promise<Origin> {
    const { kind, remedyKey, ...row } = await tx.memory.findUniqueOrThrow({
      where: { id },
      select: { kind: true, failureKey: true, remedyKey: true, sessionId: true, sourceExecutionId: true },
    });
    const { failureKey, sessionId, sourceExecutionId } = row;
    return {
      kind,
      ...(failureKey === null ? {} : { failureKey, remedyKey }),
      ...(sessionId === null ? {} : { sessionId }),
      ...(sourceExecutionId === null ? {} : { sourceExecutionId }),
    };
  }

  /** The live lessons for a role or a department that were shared from this one. */
  async sharedFrom(tx: Tx, id: string): Promise<MemoryEntry[]> {
    const rows = await tx.memory.findMany({
      where: { propagatedFromId: id, scope: { in: ['role', 'department'] }, supersededAt: null },
      orderBy: { scope: 'asc' },
    });
    return readRows('memory', rows, toEntry);
  }

  /** Locks a live memory until the transaction ends. Returns false if it has ended. */
  async lock(tx: Tx, id: string): Promise<boolean> {
    const rows = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM "memory" WHERE "id" = ${id}::uuid AND "superseded_at" IS NULL FOR UPDATE`;
    return rows.length === 1;
  }

  /** Locks a live memory that is no entry, and reads it. */
  async lockLive(tx: Tx, id: string): Promise<MemoryEntry | undefined> {
    return (await this.lock(tx, id)) ? this.find(tx, id) : undefined;
  }

  /** How many entries are ended by a run; of one that was undone, those that it could not restore. */
  entriesEndedBy(tx: Tx, run: string): Promise<number> {
    return tx.memory.count({ where: { scope: 'project', endedByRunId: run } });
  }

  async copies(tx: Tx, id: string, which: 'live' | 'all'): Promise<{ id: string; provenance: Provenance }[]> {
    return tx.memory.findMany({
      where: { propagatedFromId: id, ...(which === 'live' ? { supersededAt: null } : {}) },
      select: { id: true, provenance: true },
      orderBy: { id: 'asc' },
    });
  }

  async setPinned(tx: Tx, id: string, pinnedAt: Date | null): Promise<MemoryEntry> {
    return toEntry(await tx.memory.update({ where: { id }, data: { pinnedAt } }));
  }

  async setProvenance(tx: Tx, id: string, provenance: Provenance): Promise<MemoryEntry> {
    return toEntry(await tx.memory.update({ where: { id }, data: { provenance } }));
  }

  async clearAwaitingProposer(tx: Tx, id: string): Promise<number> {
    const { count } = await tx.memory.updateMany({
      where: { id, awaitingProposer: true, supersededAt: null },
      data: { awaitingProposer: false },
    });
    return count;
  }

  async list(tx: Tx, scope: Scope, options: { agentId?: string; limit: number }): Promise<MemoryEntry[]> {
    const rows = await tx.memory.findMany({
      where: { scope, supersededAt: null, ...(options.agentId ? { agentId: options.agentId } : {}) },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: options.limit,
    });
    return readRows('memory', rows, toEntry);
  }

  count(tx: Tx, scope: Scope): Promise<number> {
    return tx.memory.count({ where: { scope, supersededAt: null } });
  }

  /** Live entries by scope and provenance, and how many of them are copies. */
  async countByProvenance(tx: Tx): Promise<MemoryCount[]> {
    const rows = await tx.$queryRaw<{ scope: Scope; provenance: Provenance; n: bigint; copies: bigint }[]>`
      SELECT "scope"::text AS "scope", "provenance"::text AS "provenance", count(*) AS "n",
        count("propagated_from_id") AS "copies"
      FROM "memory" WHERE "superseded_at" IS NULL AND "scope" <> 'project' GROUP BY 1, 2 ORDER BY 1, 2`;
    return rows.map(({ n, copies, ...row }) => ({ ...row, n: Number(n), copies: Number(copies) }));
  }

  async liveSkill(tx: Tx, skillName: string): Promise<MemoryEntry | undefined> {
    const row = await tx.memory.findFirst({ where: { scope: 'org', skillName, supersededAt: null } });
    return readRow('memory', row, toEntry);
  }

  /**
   * By skill name: the live version and the highest version ever approved. A name that no skill ever had is missing.
   */
  async skillVersions(tx: SqlClient, skillNames: readonly string[]): Promise<Map<string, SkillVersions>> {
    const rows = await tx.$queryRaw<{ name: string; last: number; id: string | null; version: number | null }[]>`
      SELECT "skill_name" AS "name", max("version") AS "last",
        max("version") FILTER (WHERE "superseded_at" IS NULL) AS "version",
        (array_agg("id"::text) FILTER (WHERE "superseded_at" IS NULL))[1] AS "id"
      FROM "memory" WHERE "scope" = 'org' AND "skill_name" = ANY (${[...skillNames]}::text[]) GROUP BY "skill_name"`;
    return new Map(
      rows.map(({ name, last, id, version }) => [
        name,
        { live: id !== null && version !== null ? { id, version } : undefined, last },
      ]),
    );
  }

  /** All approved versions of a skill, oldest first. */
  async skillHistory(tx: Tx, skillName: string): Promise<MemoryEntry[]> {
    const rows = await tx.memory.findMany({ where: { scope: 'org', skillName }, orderBy: { version: 'asc' } });
    return readRows('memory', rows, toEntry);
  }

  async countApplication(tx: Tx, id: string, at: Date): Promise<void> {
    await tx.$executeRaw`
      UPDATE "memory" SET "application_count" = "application_count" + 1,
        "last_applied_at" = greatest("last_applied_at", ${at}) WHERE "id" = ${id}::uuid`;
  }

  async findAll(tx: SqlClient, ids: readonly string[]): Promise<Map<string, MemoryEntry>> {
    if (ids.length === 0) return new Map();
    const rows = await tx.$queryRaw<Row[]>`
      SELECT ${COLUMNS} FROM "memory" m WHERE "id" = ANY (${[...ids]}::uuid[]) AND "scope" <> 'project'`;
    return new Map(readRows('memory', rows, toEntry).map((entry) => [entry.id, entry]));
  }

  async lockShared(tx: SqlClient, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await tx.$queryRaw`SELECT "id" FROM "memory" WHERE "id" = ANY (${[...ids]}::uuid[]) ORDER BY "id" FOR SHARE`;
  }

  async find(tx: Tx, id: string): Promise<MemoryEntry | undefined> {
    const row = await tx.memory.findUnique({ where: { id, scope: { not: 'project' } } });
    return readRow('memory', row, toEntry);
  }
}
