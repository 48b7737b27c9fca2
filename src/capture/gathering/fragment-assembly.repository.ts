import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { ReportSource } from '../../access/identity/reporter.js';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { AssemblyStage, NewFragment, StoredFragment } from '../importers/fragment-format.js';
import type { AssemblySchedule } from './assembly-schedule.js';

/** Assemblies whose fragments are complete or silent. */
export const DUE_ASSEMBLIES = (now: Date): Prisma.Sql => Prisma.sql`
  SELECT count(*)::int AS "length", min(least("due_at", "expires_at")) AS "oldest" FROM "fragment_assembly"
   WHERE "due_at" <= ${now} OR "expires_at" <= ${now}`;

const Findings = z.array(z.object({ rule: z.string(), count: z.int() }));

/** An assembly to which fragments were added. */
export interface OpenAssembly {
  readonly id: string;
  /** Fragments before. */
  readonly fragmentCount: number;
  /** Fragments that are new. */
  readonly added: number;
  /** The schedule before. */
  readonly schedule: AssemblySchedule;
}

/** An assembly that is due. */
export interface DueAssembly {
  readonly id: string;
  readonly agent: { readonly id: string; readonly name: string };
  /** Who sent the first fragment. */
  readonly source: ReportSource;
  readonly format: string;
  readonly key: string;
  readonly stage: AssemblyStage;
  /** Changes with every fragment. */
  readonly lastFragmentAt: Date;
  readonly fragmentCount: number;
}

@Injectable()
export class FragmentAssemblyRepository {
  /**
   * Adds the fragments to the assembly of this key, created if it does not exist and locked for the rest of the
   * transaction. One that was sent twice is stored once, and none is stored beyond `most` in the assembly.
   */
  async add(
    tx: SqlClient,
    assembly: ReportSource & { id: string; agentId: string; format: string; key: string },
    fragments: readonly NewFragment[],
    { most, now, expiresAt }: { most: number; now: Date; expiresAt: Date },
  ): Promise<OpenAssembly> {
    const { id, agentId, format, key, owner, reporterId, credentialId } = assembly;
    // One statement, because an agent waits for it at each of its calls.
    const [row] = await tx.$queryRaw<
      { id: string; fragment_count: number; added: number; stage: AssemblySchedule['stage']; due_at: Date | null }[]
    >`
      WITH "opened" AS (
        INSERT INTO "fragment_assembly" ("id", "agent_id", "format", "key", "fragment_count", "last_fragment_at",
          "expires_at", "owner", "reporter_id", "credential_id")
        VALUES (${id}::uuid, ${agentId}::uuid, ${format}, ${key}, 0, ${now}::timestamptz,
          ${expiresAt}::timestamptz, ${owner}::text, ${reporterId}::uuid, ${credentialId}::uuid)
        ON CONFLICT ("agent_id", "format", "key") DO UPDATE SET "format" = EXCLUDED."format"
        RETURNING "id", "fragment_count", "stage", "due_at"),
      "added" AS (
        INSERT INTO "report_fragment" ("assembly_id", "key", "parent_key", "join_key", "facts", "findings")
        SELECT o."id", f."one"->>'key', f."one"->>'parentKey', f."one"->>'joinKey', f."one"->'facts', f."one"->'findings'
        FROM "opened" o, jsonb_array_elements(${JSON.stringify(fragments)}::jsonb) WITH ORDINALITY AS f("one", "n")
        WHERE f."n" <= ${most}::int - o."fragment_count"
        ON CONFLICT DO NOTHING RETURNING 1)
      SELECT "id", "fragment_count", "stage"::text AS "stage", "due_at", (SELECT count(*)::int FROM "added") AS "added"
      FROM "opened"`;
    if (row === undefined) throw new Error('an upsert returned no row');
    const schedule = { stage: row.stage, at: row.due_at };
    return { id: row.id, fragmentCount: row.fragment_count, added: row.added, schedule };
  }

  async recordFragments(
    tx: SqlClient,
    { id, added }: Pick<OpenAssembly, 'id' | 'added'>,
    { stage, at }: AssemblySchedule,
    now: Date,
    expiresAt: Date,
  ): Promise<void> {
    await tx.$executeRaw`
      UPDATE "fragment_assembly" SET "fragment_count" = "fragment_count" + ${added}::int,
        "last_fragment_at" = ${now}::timestamptz, "expires_at" = ${expiresAt}::timestamptz,
        "stage" = ${stage}::text::"FragmentAssemblyStage", "due_at" = ${at}::timestamptz
      WHERE "id" = ${id}::uuid`;
  }

  /** The assembly that has been due longest. */
  async nextDue(tx: Tx, now: Date): Promise<DueAssembly | undefined> {
    const row = await tx.fragmentAssembly.findFirst({
      where: { OR: [{ dueAt: { lte: now } }, { expiresAt: { lte: now } }] },
      orderBy: [{ dueAt: { sort: 'asc', nulls: 'last' } }, { expiresAt: 'asc' }],
      include: { agent: { select: { id: true, name: true } } },
    });
    if (row === null) return undefined;
    const { id, agent, format, key, lastFragmentAt, fragmentCount, owner, reporterId, credentialId } = row;
    const stage = row.expiresAt <= now ? 'expired' : (row.stage ?? 'silent');
    const source = { owner, reporterId, credentialId };
    return { id, agent, source, format, key, lastFragmentAt, fragmentCount, stage };
  }

  async findFragments(tx: Tx, assemblyId: string): Promise<StoredFragment[]> {
    const rows = await tx.reportFragment.findMany({ where: { assemblyId }, orderBy: { key: 'asc' } });
    return readRows('report_fragment', rows, ({ key, parentKey, joinKey, facts, findings }) => ({
      key,
      parentKey,
      joinKey,
      facts,
      findings: Findings.parse(findings),
    }));
  }

  /** Clears the due time, unless another fragment has arrived meanwhile. */
  async clearSchedule(tx: Tx, { id, fragmentCount, lastFragmentAt }: DueAssembly): Promise<void> {
    await tx.fragmentAssembly.updateMany({ where: { id, fragmentCount, lastFragmentAt }, data: { dueAt: null } });
  }

  async postpone(tx: Tx, { id }: DueAssembly, until: Date): Promise<void> {
    await tx.fragmentAssembly.updateMany({ where: { id }, data: { dueAt: until, expiresAt: until } });
  }

  async remove(tx: Tx, { id, fragmentCount, lastFragmentAt }: DueAssembly): Promise<void> {
    await tx.fragmentAssembly.deleteMany({ where: { id, fragmentCount, lastFragmentAt } });
  }
}
