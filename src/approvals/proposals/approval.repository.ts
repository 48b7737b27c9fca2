import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Tx } from '../../platform/database/database.js';
import { columnsAs } from '../../platform/database/rows.js';
import type { Statements } from '../../platform/database/statements.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import type { Item, ItemContent, ItemEdit } from './approval-item.js';
import { type ApprovalState, EditedByHand, Findings } from './approvals.schema.js';
import { type Brief, briefOf, clusterOf } from './cluster.js';
import { keepWords } from './item-words.repository.js';
import { Evidence, Proposal } from './proposal.schema.js';
import { RetirementRequest } from './retirement-request.schema.js';

/** A full queue and more: what is beyond it is not looked at for near-duplicates. */
const COMPARED = 1_000;

const Models = z.array(z.string());
const Audience = z.array(z.object({ department: z.string().nullable(), role: z.string().nullable() }));

/** The patterns that an item answers for. */
export interface ItemPattern {
  readonly fingerprints: readonly string[];
  /** The models that its evidence was seen on; empty where the reports did not say. */
  readonly models: readonly string[];
  /** When the evidence was first seen, ISO 8601. */
  readonly firstSeen: string | null;
}

const COLUMNS = columnsAs(Object.keys(Prisma.ApprovalItemScalarFieldEnum), 'i');

type Row = Awaited<ReturnType<Tx['approvalItem']['findUniqueOrThrow']>>;

function toItem(row: Row): Item {
  return {
    ...row,
    // What the table holds went through `redactDeep` on its way in: the brand is restored, not given.
    proposal: Proposal.parse(row.proposal) as Sanitized<Proposal>,
    evidence: Evidence.parse(row.evidence) as Sanitized<Evidence>,
    findings: Findings.parse(row.findings),
    audience: Audience.parse(row.audience),
    request: row.request === null ? null : RetirementRequest.parse(row.request),
    edit: row.edit === null ? null : (EditedByHand.parse(row.edit) as ItemEdit),
  };
}

function toData(content: ItemContent) {
  const { proposal, evidence, findings, fingerprints, earlierEditorIds, audience, edit, ...rest } = content;
  return {
    ...rest,
    fingerprints: [...fingerprints],
    earlierEditorIds: [...earlierEditorIds],
    audience: audience.map((place) => ({ ...place })),
    title: proposal.title,
    proposal: { ...proposal },
    evidence: { ...evidence },
    findings: { ...findings },
    edit: edit === null ? Prisma.DbNull : { ...edit },
    agents: evidence.agents,
  };
}

@Injectable()
export class ApprovalRepository {
  async create(
    tx: Tx,
    content: ItemContent,
    {
      request,
      ...row
    }: {
      id: string;
      fingerprint: string;
      createdAt: Date;
      expiresAt: Date;
      request?: RetirementRequest;
      reopenedFromId?: string;
    },
  ): Promise<Item> {
    const created = await tx.approvalItem.create({
      data: {
        ...toData(content),
        ...row,
        ...(request ? { request: { ...request } } : {}),
        urgent: request !== undefined,
        cluster: content.kind === 'retire' ? row.id : (clusterOf(briefOf(content), await this.waiting(tx)) ?? row.id),
        state: 'pending',
        revision: 1,
        updatedAt: row.createdAt,
      },
    });
    await keepWords(tx, row.id, content);
    return toItem(created);
  }

  /** What a new item is compared with. */
  private waiting(tx: Tx): Promise<(Brief & { cluster: string })[]> {
    return tx.$queryRaw`
      SELECT "cluster"::text AS "cluster", "title", "proposal" ->> 'condition' AS "condition", "fingerprints"
      FROM "approval_item" WHERE "state" = 'pending' AND "kind" <> 'retire'
      ORDER BY "impact" DESC, "id" LIMIT ${COMPARED}`;
  }

  /** How many items of each cluster wait. */
  async clusterSizes(tx: Tx, items: readonly Item[]): Promise<Map<string, number>> {
    const rows = await tx.approvalItem.groupBy({
      by: ['cluster'],
      where: { state: 'pending', cluster: { in: items.map(({ cluster }) => cluster) } },
      _count: true,
    });
    return new Map(rows.map(({ cluster, _count }) => [cluster, _count]));
  }

  waitingCount(tx: Tx): Promise<number> {
    return tx.approvalItem.count({ where: { state: 'pending' } });
  }

  /** Pending items that would add a skill. */
  additions(tx: Tx): Promise<number> {
    return tx.approvalItem.count({ where: { state: 'pending', supersedesId: null, kind: { not: 'retire' } } });
  }

  /**
   * Pending items whose skill is another one than they were rendered against, or may be (renames), and those that
   * contradict another item; or all of them.
   */
  async outdated(tx: Tx, all: boolean): Promise<string[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT i."id"::text AS "id" FROM "approval_item" i
      LEFT JOIN "memory" m ON m."scope" = 'org' AND m."skill_name" = i."skill_name" AND m."superseded_at" IS NULL
      WHERE i."state" = 'pending' AND i."edit" IS NULL AND (${all} OR m."id" IS DISTINCT FROM i."supersedes_id"
        OR i."id" IN (SELECT "item_id" FROM "approval_contradiction" UNION SELECT "other_id" FROM "approval_contradiction")
        OR (i."kind" <> 'retire' AND i."version" <> 1 + COALESCE((SELECT max(v."version") FROM "memory" v
          WHERE v."scope" = 'org' AND v."skill_name" = i."skill_name"), 0)))
      ORDER BY i."id"`;
    return rows.map(({ id }) => id);
  }

  /** Other content of a pending item. The revision moves, so that a vote on an earlier one never counts. */
  async refresh(tx: Tx, item: Item, content: ItemContent, at: Date): Promise<boolean> {
    const { count } = await tx.approvalItem.updateMany({
      where: { id: item.id, state: 'pending', revision: item.revision },
      data: { ...toData(content), revision: item.revision + 1, updatedAt: at },
    });
    if (count === 1) await keepWords(tx, item.id, content);
    return count === 1;
  }

  async find(tx: Tx, id: string): Promise<Item | undefined> {
    const row = await tx.approvalItem.findUnique({ where: { id } });
    return row ? toItem(row) : undefined;
  }

  /** Waits for whoever decides on this item right now, then reads it. */
  async lock(tx: Statements, id: string): Promise<Item | undefined> {
    return (await this.lockAll(tx, [id])).get(id);
  }

  /** `lock` for several; in the order of their ids, so that no two who lock some of the same wait for each other. */
  async lockAll(tx: Statements, ids: readonly string[]): Promise<Map<string, Item>> {
    const rows = await tx.$queryRaw<Row[]>`
      SELECT ${COLUMNS} FROM "approval_item" i WHERE "id" = ANY (${[...ids]}::uuid[]) ORDER BY "id" FOR UPDATE`;
    return new Map(rows.map((row) => [row.id, toItem(row)]));
  }

  /** The changes by hand that wait for a decision. */
  async pendingEdits(tx: Tx): Promise<Item[]> {
    const rows = await tx.approvalItem.findMany({ where: { state: 'pending', edit: { not: Prisma.AnyNull } } });
    return rows.map(toItem);
  }

  /** The items with these ids, in their order. */
  async ofIds(tx: Tx, ids: readonly string[]): Promise<Item[]> {
    const rows = await tx.approvalItem.findMany({ where: { id: { in: [...ids] } } });
    const byId = new Map(rows.map((row) => [row.id, toItem(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** Moves pending items of these revisions; false when somebody was faster with one of them (compare-and-set). */
  async move(
    tx: Statements,
    items: readonly Item[],
    state: Exclude<ApprovalState, 'pending'>,
    at: Date,
  ): Promise<boolean> {
    const count = await tx.$executeRaw`
      UPDATE "approval_item" i SET "state" = ${state}::"ApprovalState", "decided_at" = ${at}, "updated_at" = ${at}
      FROM unnest(${items.map(({ id }) => id)}::uuid[], ${items.map(({ revision }) => revision)}::int[],
        ${items.map(({ artifactSha256 }) => artifactSha256)}::text[]) AS read("id", "revision", "sha256")
      WHERE i."id" = read."id" AND i."state" = 'pending' AND i."revision" = read."revision"
        AND i."artifact_sha256" = read."sha256"`;
    return count === items.length;
  }

  /** The items of one fingerprint, newest first. */
  async ofFingerprint(tx: Tx, fingerprint: string): Promise<Item[]> {
    const rows = await tx.approvalItem.findMany({ where: { fingerprint }, orderBy: { createdAt: 'desc' } });
    return rows.map(toItem);
  }

  /** The requests of one reason about one version of a skill, newest first, with what a person said to them. */
  async requests(tx: Tx, fingerprint: string): Promise<{ item: Item; reason: string | null }[]> {
    const rows = await tx.approvalItem.findMany({
      where: { fingerprint },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      include: { decisions: true },
    });
    return rows.map(({ decisions, ...row }) => ({ item: toItem(row), reason: decisions[0]?.reason ?? null }));
  }

  /** The patterns of items, with models and the first failure, without their files and evidence. */
  async patterns(tx: Tx, ids: readonly string[]): Promise<Map<string, ItemPattern>> {
    const rows = await tx.$queryRaw<
      { id: string; fingerprints: string[]; models: unknown; firstSeen: string | null }[]
    >`
      SELECT "id"::text AS "id", "fingerprints", "evidence" -> 'models' AS "models",
        "evidence" ->> 'firstSeen' AS "firstSeen"
      FROM "approval_item" WHERE "id" = ANY (${[...ids]}::uuid[])`;
    return new Map(rows.map(({ id, models, ...pattern }) => [id, { ...pattern, models: Models.parse(models ?? []) }]));
  }

  /** The requests about live skills that wait for a decision. */
  async pendingRequests(tx: Tx): Promise<Item[]> {
    const rows = await tx.approvalItem.findMany({ where: { state: 'pending', urgent: true } });
    return rows.map(toItem);
  }

  async overdue(tx: Tx, now: Date): Promise<Item[]> {
    const rows = await tx.approvalItem.findMany({ where: { state: 'pending', expiresAt: { lte: now } }, take: 500 });
    return rows.map(toItem);
  }

  async skillNameTaken(tx: Tx, skillName: string): Promise<boolean> {
    const pending = await tx.approvalItem.count({ where: { skillName, state: 'pending' } });
    return pending > 0;
  }
}
