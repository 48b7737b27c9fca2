import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { ReportSource } from '../../access/identity/reporter.js';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import type { AssemblyStage, NewFragment, StoredFragment } from '../importers/fragment-format.js';
import type { AssemblySchedule } from './assembly-schedule.js';

const Findings = z.array(z.object({ rule: z.string(), count: z.int() }));

export interface OpenAssembly {
  readonly id: string;
  readonly fragmentCount: number;
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
  /** The assembly of this key, created if it does not exist, locked for the rest of the transaction. */
  async open(
    tx: Tx,
    assembly: ReportSource & { id: string; agentId: string; format: string; key: string },
    now: Date,
    expiresAt: Date,
  ): Promise<OpenAssembly> {
    const { id, agentId, format, key, owner, reporterId, credentialId } = assembly;
    const [row] = await tx.$queryRaw<
      { id: string; fragment_count: number; stage: AssemblySchedule['stage']; due_at: Date | null }[]
    >`
      INSERT INTO "fragment_assembly" ("id", "agent_id", "format", "key", "fragment_count", "last_fragment_at", "expires_at",
        "owner", "reporter_id", "credential_id")
      VALUES (${id}::uuid, ${agentId}::uuid, ${format}, ${key}, 0, ${now}, ${expiresAt},
        ${owner}::text, ${reporterId}::uuid, ${credentialId}::uuid)
      ON CONFLICT ("agent_id", "format", "key") DO UPDATE SET "format" = EXCLUDED."format"
      RETURNING "id", "fragment_count", "stage"::text AS "stage", "due_at"`;
    if (row === undefined) throw new Error('an upsert returned no row');
    return { id: row.id, fragmentCount: row.fragment_count, schedule: { stage: row.stage, at: row.due_at } };
  }

  /** Inserts the fragments and returns how many are new: a fragment that was sent twice is stored once. */
  async add(tx: Tx, assemblyId: string, fragments: readonly NewFragment[]): Promise<number> {
    const { count } = await tx.reportFragment.createMany({
      data: fragments.map(({ key, parentKey, joinKey, facts, findings }) => ({
        assemblyId,
        key,
        parentKey: parentKey ?? null,
        joinKey: joinKey ?? null,
        facts: { ...facts },
        findings: findings.map((finding) => ({ ...finding })),
      })),
      skipDuplicates: true,
    });
    return count;
  }

  async recordFragments(
    tx: Tx,
    id: string,
    added: number,
    due: AssemblySchedule,
    now: Date,
    expiresAt: Date,
  ): Promise<void> {
    await tx.fragmentAssembly.update({
      where: { id },
      data: {
        fragmentCount: { increment: added },
        lastFragmentAt: now,
        expiresAt,
        stage: due.stage,
        dueAt: due.at,
      },
    });
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
