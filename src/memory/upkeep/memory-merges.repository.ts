import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import { WitnessRepository } from '../lessons/witness.repository.js';
import { EntryKind } from '../store/entry-kind.schema.js';
import { Provenance } from '../store/lesson.schema.js';
import { CORRECTED_BY_PERSON, MemoryRepository } from '../store/memory.repository.js';
import { toRecallableMemory } from '../store/memory-row.js';
import type { Mergeable, MergeableEntry, MergeableLesson, ProjectEntries } from './mergeable.js';

/** Lessons and entries of agents, which a run may change. */
const IS_PRIVATE = Prisma.sql`"scope" IN ('agent', 'project')`;

type Row = Awaited<ReturnType<Tx['memory']['findUniqueOrThrow']>>;

export interface UndoneMerges {
  readonly restored: number;
  readonly ended: number;
  /** Summaries of sessions that have another one by now stay ended: they are skipped. */
  readonly entries: { readonly restored: number; readonly skipped: number };
}

/** A live memory as it is when the plan is carried out. */
type LockedMemory = Pick<Mergeable, 'id' | 'contentSha256' | 'provenance' | 'pinned' | 'isPersons'>;

/** Entries of one project that a run reads, the newest. */
const MOST_ENTRIES = 2_000;

const EntryRow = z.object({
  id: z.uuid(),
  project: z.string().nullable(),
  kind: EntryKind,
  content: z.string(),
  contentSha256: z.string(),
  provenance: Provenance,
  pinned: z.boolean(),
  stands: z.boolean(),
  isPersons: z.boolean(),
  createdAt: z.date(),
  lastRetrievedAt: z.date().nullable(),
});

/** What must not change between a plan and its end. */
const LOCKED = Prisma.sql`
  "id"::text AS "id", "content_sha256" AS "contentSha256", "provenance"::text AS "provenance",
  "pinned_at" IS NOT NULL AS "pinned", coalesce("written_by" = 'person', false) AS "isPersons"`;

@Injectable()
export class MemoryMergesRepository {
  constructor(
    private readonly memories: MemoryRepository,
    private readonly witnesses: WitnessRepository,
  ) {}

  /** The live private lessons and notes of an agent, by id. */
  async live(tx: Tx, agentId: string): Promise<MergeableLesson[]> {
    const rows = await tx.memory.findMany({
      where: { scope: 'agent', agentId, supersededAt: null },
      orderBy: { id: 'asc' },
    });
    const ids = rows.map(({ id }) => id);
    const witnesses = await tx.memoryWitness.findMany({
      where: { memoryId: { in: ids } },
      select: { memoryId: true, executionId: true },
      orderBy: [{ memoryId: 'asc' }, { executionId: 'asc' }],
    });
    const judged = await tx.$queryRaw<{ id: string }[]>`
      SELECT DISTINCT "memory_id"::text AS "id" FROM "memory_evidence"
       WHERE "memory_id" = ANY (${ids}::uuid[]) AND "kind" = 'person'`;
    const byPerson = new Set(judged.map(({ id }) => id));
    const byLesson = new Map<string, string[]>();
    for (const { memoryId, executionId } of witnesses)
      byLesson.set(memoryId, [...(byLesson.get(memoryId) ?? []), executionId]);
    const answered = new Map((await this.memories.answered(tx, { agentId })).map(({ id, by }) => [id, by]));
    return readRows('memory', rows, (row) => ({
      ...toMergeable(row, byLesson.get(row.id) ?? [], byPerson.has(row.id)),
      answeredBy: answered.get(row.id) ?? null,
    }));
  }

  /** The newest live entries that an agent keeps in each project; those of other agents are never read here. */
  async liveEntries(tx: Tx, agentId: string): Promise<ProjectEntries[]> {
    const rows = await tx.$queryRaw<Record<string, unknown>[]>`
      SELECT * FROM (
        SELECT ${LOCKED}, "project", "kind", "action" AS "content", "created_at" AS "createdAt",
               "last_retrieved_at" AS "lastRetrievedAt",
               "written_by" = 'person' OR "restored_from_run_id" IS NOT NULL AS "stands",
               row_number() OVER (PARTITION BY "project" ORDER BY "created_at" DESC, "id") AS "place"
          FROM "memory" WHERE "scope" = 'project' AND "agent_id" = ${agentId}::uuid AND "superseded_at" IS NULL) e
       WHERE "place" <= ${MOST_ENTRIES} ORDER BY "project" NULLS FIRST, "place"`;
    const projects = new Map<string | null, MergeableEntry[]>();
    for (const { project, ...entry } of readRows('memory', rows, (row) => EntryRow.parse(row)))
      projects.set(project, [...(projects.get(project) ?? []), entry]);
    return [...projects].map(([project, entries]) => ({ project, entries }));
  }

  /** Locks those of these lessons and entries of the agent that are live. */
  async lock(tx: Tx, agentId: string, ids: readonly string[]): Promise<Map<string, LockedMemory>> {
    const rows = await tx.$queryRaw<LockedMemory[]>`
      SELECT ${LOCKED} FROM "memory" WHERE "id" = ANY (${[...ids]}::uuid[]) AND ${IS_PRIVATE} AND "agent_id" = ${agentId}::uuid
         AND "superseded_at" IS NULL ORDER BY "id" FOR UPDATE`;
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** The sources of what the result is made of: if one of them is no longer true, this is not either. */
  async inheritSources(tx: Tx, into: string, from: readonly string[]): Promise<void> {
    await tx.$executeRaw`
      INSERT INTO "memory_source" ("memory_id", "source_id")
        SELECT DISTINCT ${into}::uuid, "source_id" FROM "memory_source"
         WHERE "memory_id" = ANY (${[...from]}::uuid[]) AND "source_id" <> ${into}::uuid
        ON CONFLICT DO NOTHING`;
  }

  /** The lessons that a run wrote and that ended since, for another reason than its undoing. */
  async replacedSince(tx: Tx, run: string): Promise<{ id: string; byRun: string | null }[]> {
    return tx.$queryRaw`
      SELECT "id"::text AS "id", "ended_by_run_id"::text AS "byRun" FROM "memory"
       WHERE "created_by_run_id" = ${run}::uuid AND "superseded_at" IS NOT NULL ORDER BY "id"`;
  }

  /**
   * Ends what the run wrote, and makes live again what it ended, unless its successor was ended meanwhile. A session has
   * one summary: where there is another one, the old one stays ended.
   */
  async undo(tx: Tx, run: string, at: Date): Promise<UndoneMerges> {
    await this.returnWitnesses(tx, run);
    const [restored] = await tx.$queryRaw<{ lessons: number; entries: number }[]>`
      WITH "restored" AS (
        UPDATE "memory" m SET "superseded_at" = NULL, "superseded_by_id" = NULL, "end_reason" = NULL,
               "ended_by_run_id" = NULL, "restored_from_run_id" = ${run}::uuid
         WHERE m."ended_by_run_id" = ${run}::uuid AND ${IS_PRIVATE}
           AND NOT EXISTS (SELECT 1 FROM "memory" s WHERE s."id" = m."superseded_by_id"
                             AND s."created_by_run_id" = ${run}::uuid AND s."superseded_at" IS NOT NULL)
           AND NOT (m."kind" = 'session-summary' AND EXISTS (
             SELECT 1 FROM "memory" s WHERE s."agent_id" = m."agent_id" AND s."session_id" = m."session_id"
                AND s."kind" = 'session-summary' AND s."superseded_at" IS NULL))
         RETURNING m."scope")
      SELECT (count(*) FILTER (WHERE "scope" = 'agent'))::int AS "lessons",
             (count(*) FILTER (WHERE "scope" = 'project'))::int AS "entries" FROM "restored"`;
    const ended = await tx.$executeRaw`
      UPDATE "memory" SET "superseded_at" = ${at}, "end_reason" = 'undone'
       WHERE "created_by_run_id" = ${run}::uuid AND "superseded_at" IS NULL`;
    // As for every lesson that is withdrawn: its copies at other agents end with it.
    await tx.$executeRaw`
      UPDATE "memory" c SET "superseded_at" = ${at}, "end_reason" = 'source_ended' FROM "memory" r
       WHERE c."propagated_from_id" = r."id" AND r."created_by_run_id" = ${run}::uuid AND c."superseded_at" IS NULL`;
    const entries = { restored: restored?.entries ?? 0, skipped: await this.memories.entriesEndedBy(tx, run) };
    return { restored: restored?.lessons ?? 0, ended, entries };
  }

  /**
   * Takes back the witnesses of lessons that stand, and gives those that a written lesson gained since to the one whose
   * words and keys it has.
   */
  private async returnWitnesses(tx: Tx, run: string): Promise<void> {
    const given = await tx.$queryRaw<{ id: string }[]>`
      SELECT DISTINCT w."memory_id"::text AS "id" FROM "memory_witness" w JOIN "memory" m ON m."id" = w."memory_id"
       WHERE w."added_by_run_id" = ${run}::uuid AND m."created_by_run_id" IS DISTINCT FROM ${run}::uuid`;
    await tx.$executeRaw`
      DELETE FROM "memory_witness" w USING "memory" m
       WHERE m."id" = w."memory_id" AND w."added_by_run_id" = ${run}::uuid
         AND m."created_by_run_id" IS DISTINCT FROM ${run}::uuid`;
    const gained = await tx.$queryRaw<{ id: string }[]>`
      WITH "base" AS (
        SELECT DISTINCT ON (r."id") r."id" AS "result", s."id" AS "source" FROM "memory" r
          JOIN "memory" s ON s."superseded_by_id" = r."id" AND s."ended_by_run_id" = ${run}::uuid
         WHERE r."created_by_run_id" = ${run}::uuid AND r."superseded_at" IS NULL
         ORDER BY r."id", s."remedy_key" IS NOT DISTINCT FROM r."remedy_key" DESC, s."created_at", s."id"),
      "added" AS (
        INSERT INTO "memory_witness" ("memory_id", "execution_id", "session_id", "at")
          SELECT b."source", w."execution_id", w."session_id", w."at" FROM "base" b
            JOIN "memory_witness" w ON w."memory_id" = b."result" AND w."added_by_run_id" IS NULL
          ON CONFLICT DO NOTHING RETURNING "memory_id")
      SELECT DISTINCT "memory_id"::text AS "id" FROM "added"`;
    await this.witnesses.recount(
      tx,
      [...given, ...gained].map(({ id }) => id),
    );
  }
}

function toMergeable(row: Row, witnesses: readonly string[], isJudged: boolean): Omit<MergeableLesson, 'answeredBy'> {
  const { lesson, category, controlTags } = toRecallableMemory(row);
  const pinned = row.pinnedAt !== null;
  return {
    id: row.id,
    category,
    lesson,
    controlTags,
    provenance: row.provenance,
    proposer: row.proposer,
    pinned,
    contentSha256: row.contentSha256,
    failureKey: row.failureKey,
    remedyKey: row.remedyKey,
    witnesses,
    isPersons: row.writtenBy === 'person',
    stands:
      pinned ||
      isJudged ||
      row.provenance === 'verified' ||
      row.proposer === CORRECTED_BY_PERSON ||
      row.restoredFromRunId !== null,
    isCopy: row.propagatedFromId !== null,
    isPlaceholder: row.awaitingProposer,
    createdAt: row.createdAt,
    lastWitnessedAt: row.lastWitnessedAt,
    lastRetrievedAt: row.lastRetrievedAt,
    relevanceCount: row.relevanceCount,
  };
}
