import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { readRow, readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { type SqlClient, selectColumns } from '../../platform/database/sql-client.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { General, Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { type Proposal, type ProposalContent, type SanitizedEdit, verdictOf } from './proposal.js';
import { storeWords } from './proposal-words.repository.js';
import { ExternalEditRecord, Findings, type ProposalState } from './proposals.schema.js';
import { Evidence, ProposedSkill } from './proposed-skill.schema.js';
import { RetirementRequest } from './retirement-request.schema.js';

/** Pending proposals compared for near-duplicates: more than a full queue holds. */
const MAX_COMPARED = 1_000;

const Models = z.array(z.string());
const Audience = z.array(z.object({ department: z.string().nullable(), role: z.string().nullable() }));

/** The patterns that a proposal covers. */
export interface ProposalPatterns {
  readonly fingerprints: readonly string[];
  /** The models of its evidence; empty if the reports name none. */
  readonly models: readonly string[];
  /** When the evidence was first seen, ISO 8601. */
  readonly firstSeen: string | null;
}

interface LiveVersion {
  readonly memoryId: string;
  readonly skillName: string;
}

const COLUMNS = selectColumns(Object.keys(Prisma.ProposalScalarFieldEnum), 'i');

type Row = Awaited<ReturnType<Tx['proposal']['findUniqueOrThrow']>>;

function toProposal({ verdict: _ofEvidence, ...row }: Row): Proposal {
  return {
    ...row,
    // The table only holds texts that went through `sanitizeProposal`, so the cast restores their brands.
    proposedSkill: ProposedSkill.parse(row.proposedSkill) as General<ProposedSkill>,
    evidence: Evidence.parse(row.evidence) as Sanitized<Evidence>,
    findings: Findings.parse(row.findings),
    audience: Audience.parse(row.audience),
    request: row.request === null ? null : RetirementRequest.parse(row.request),
    edit: row.edit === null ? null : (ExternalEditRecord.parse(row.edit) as SanitizedEdit),
  };
}

function toData(content: ProposalContent) {
  const { proposedSkill, evidence, findings, fingerprints, earlierEditorIds, audience, edit, ...rest } = content;
  return {
    ...rest,
    fingerprints: [...fingerprints],
    earlierEditorIds: [...earlierEditorIds],
    audience: audience.map((group) => ({ ...group })),
    title: proposedSkill.title,
    proposedSkill: { ...proposedSkill },
    evidence: { ...evidence },
    findings: { ...findings },
    edit: edit === null ? Prisma.DbNull : { ...edit },
    // Thresholds compare it: agents that one person names must not raise it.
    agents: evidence.independent ?? evidence.agents,
    verdict: verdictOf(content) ?? ('unchecked' as const),
  };
}

@Injectable()
export class ProposalRepository {
  async create(
    tx: Tx,
    content: ProposalContent,
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
  ): Promise<Proposal> {
    const created = await tx.proposal.create({
      data: {
        ...toData(content),
        ...row,
        ...(request ? { request: { ...request } } : {}),
        urgent: request !== undefined,
        cluster:
          content.kind === 'retire'
            ? row.id
            : (clusterOf(clusterInputOf(content), await this.pendingForClustering(tx)) ?? row.id),
        state: 'pending',
        revision: 1,
        updatedAt: row.createdAt,
      },
    });
    await storeWords(tx, row.id, content);
    return toProposal(created);
  }

  /** The pending proposals that a new one is compared with. */
  private pendingForClustering(tx: Tx): Promise<(ClusterInput & { cluster: string })[]> {
    return tx.$queryRaw`
      SELECT "cluster"::text AS "cluster", "title", "proposed_skill" ->> 'condition' AS "condition", "fingerprints"
      FROM "proposal" WHERE "state" = 'pending' AND "kind" <> 'retire'
      ORDER BY "impact" DESC, "id" LIMIT ${MAX_COMPARED}`;
  }

  /** The number of pending proposals of each cluster. */
  async pendingClusterSizes(tx: Tx, proposals: readonly Proposal[]): Promise<Map<string, number>> {
    const rows = await tx.proposal.groupBy({
      by: ['cluster'],
      where: { state: 'pending', cluster: { in: proposals.map(({ cluster }) => cluster) } },
      _count: true,
    });
    return new Map(rows.map(({ cluster, _count }) => [cluster, _count]));
  }

  countPending(tx: Tx): Promise<number> {
    return tx.proposal.count({ where: { state: 'pending' } });
  }

  /** Whether a pending proposal would change, replace or retire one of these live skills, or keep the one to retire. */
  async isMergeBlocked(tx: Tx, kept: LiveVersion, retired: LiveVersion): Promise<boolean> {
    const [ids, names] = [
      [kept.memoryId, retired.memoryId],
      [kept.skillName, retired.skillName],
    ];
    const [row] = await tx.$queryRaw<{ count: bigint }[]>`
      SELECT count(*) AS "count" FROM "proposal" WHERE "state" = 'pending'
        AND ("supersedes_id" = ANY (${ids}::uuid[]) OR "skill_name" = ANY (${names})
          OR "request" #>> '{keep,memoryId}' = ${retired.memoryId})`;
    return Number(row?.count ?? 0) > 0;
  }

  /** The number of pending proposals that would add a skill. */
  countPendingAdditions(tx: Tx): Promise<number> {
    return tx.proposal.count({ where: { state: 'pending', supersedesId: null, kind: { not: 'retire' } } });
  }

  /**
   * The ids of pending proposals that may be outdated: the live skill or the next version is not the one they were
   * rendered for, or they contradict another proposal, or they keep a skill that is no longer live. With `all`, every pending proposal without an external edit.
   */
  async findOutdated(tx: Tx, all: boolean): Promise<string[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT i."id"::text AS "id" FROM "proposal" i
      LEFT JOIN "memory" m ON m."scope" = 'org' AND m."skill_name" = i."skill_name" AND m."superseded_at" IS NULL
      WHERE i."state" = 'pending' AND i."edit" IS NULL AND (${all} OR m."id" IS DISTINCT FROM i."supersedes_id"
        OR EXISTS (SELECT FROM "memory" k WHERE k."id"::text = i."request" #>> '{keep,memoryId}' AND k."superseded_at" IS NOT NULL)
        OR i."id" IN (SELECT "proposal_id" FROM "proposal_contradiction" UNION SELECT "other_proposal_id" FROM "proposal_contradiction")
        OR (i."kind" <> 'retire' AND i."version" <> 1 + COALESCE((SELECT max(v."version") FROM "memory" v
          WHERE v."scope" = 'org' AND v."skill_name" = i."skill_name"), 0)))
      ORDER BY i."id"`;
    return rows.map(({ id }) => id);
  }

  /**
   * Replaces the content of a pending proposal and increments its revision, so that votes on earlier revisions do not
   * count. False if the proposal is decided or at another revision.
   */
  async revise(tx: Tx, proposal: Proposal, content: ProposalContent, at: Date): Promise<boolean> {
    return this.write(tx, proposal, content, toData(content), at);
  }

  /**
   * `revise` by a job: the ratings never fall, and the authors and an external edit stay. Its database role has no
   * right to change them.
   */
  async reviseAsJob(tx: Tx, proposal: Proposal, content: ProposalContent, at: Date): Promise<boolean> {
    const { edit: _edit, editorId: _editor, earlierEditorIds: _editors, ...data } = toData(content);
    return this.write(tx, proposal, content, data, at);
  }

  private async write(
    tx: Tx,
    { id, revision }: Proposal,
    content: ProposalContent,
    data: Prisma.ProposalUncheckedUpdateManyInput,
    updatedAt: Date,
  ): Promise<boolean> {
    const where = { id, state: 'pending' as const, revision };
    const { count } = await tx.proposal.updateMany({ where, data: { ...data, revision: revision + 1, updatedAt } });
    if (count === 1) await storeWords(tx, id, content);
    return count === 1;
  }

  async find(tx: Tx, id: string): Promise<Proposal | undefined> {
    const row = await tx.proposal.findUnique({ where: { id } });
    return readRow('proposal', row, toProposal);
  }

  /** Locks the row and reads it. Waits for a transaction that is deciding on it. */
  async lock(tx: SqlClient, id: string): Promise<Proposal | undefined> {
    return (await this.lockAll(tx, [id])).get(id);
  }

  /** Locks several rows in the order of their ids, so that concurrent transactions cannot deadlock. */
  async lockAll(tx: SqlClient, ids: readonly string[]): Promise<Map<string, Proposal>> {
    const rows = await tx.$queryRaw<Row[]>`
      SELECT ${COLUMNS} FROM "proposal" i WHERE "id" = ANY (${[...ids]}::uuid[]) ORDER BY "id" FOR UPDATE`;
    return new Map(readRows('proposal', rows, toProposal).map((proposal) => [proposal.id, proposal]));
  }

  /** The pending proposals of external edits. */
  async pendingEdits(tx: Tx): Promise<Proposal[]> {
    const rows = await tx.proposal.findMany({ where: { state: 'pending', edit: { not: Prisma.AnyNull } } });
    return readRows('proposal', rows, toProposal);
  }

  /** The proposals with these ids, in the order of the ids. */
  async findByIds(tx: Tx, ids: readonly string[]): Promise<Proposal[]> {
    const rows = await tx.proposal.findMany({ where: { id: { in: [...ids] } } });
    const byId = new Map(readRows('proposal', rows, toProposal).map((proposal) => [proposal.id, proposal]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** Ends pending proposals by compare-and-set; false if one of them is no longer pending at its revision. */
  async close(
    tx: SqlClient,
    proposals: readonly Proposal[],
    state: Exclude<ProposalState, 'pending'>,
    at: Date,
  ): Promise<boolean> {
    const count = await tx.$executeRaw`
      UPDATE "proposal" i SET "state" = ${state}::"ProposalState", "decided_at" = ${at}, "updated_at" = ${at}
      FROM unnest(${proposals.map(({ id }) => id)}::uuid[], ${proposals.map(({ revision }) => revision)}::int[],
        ${proposals.map(({ artifactSha256 }) => artifactSha256)}::text[]) AS read("id", "revision", "sha256")
      WHERE i."id" = read."id" AND i."state" = 'pending' AND i."revision" = read."revision"
        AND i."artifact_sha256" = read."sha256"`;
    return count === proposals.length;
  }

  /** The proposals with this fingerprint, newest first. */
  async findByFingerprint(tx: Tx, fingerprint: string): Promise<Proposal[]> {
    const rows = await tx.proposal.findMany({ where: { fingerprint }, orderBy: { createdAt: 'desc' } });
    return readRows('proposal', rows, toProposal);
  }

  /** The retirement requests with this fingerprint, newest first, with the reason of the decision. */
  async retirementRequests(tx: Tx, fingerprint: string): Promise<{ proposal: Proposal; reason: string | null }[]> {
    const rows = await tx.proposal.findMany({
      where: { fingerprint },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      include: { decisions: true },
    });
    return readRows('proposal', rows, ({ decisions, ...row }) => ({
      proposal: toProposal(row),
      reason: decisions[0]?.reason ?? null,
    }));
  }

  /** The patterns of proposals by id, without files and evidence. */
  async findPatterns(tx: Tx, ids: readonly string[]): Promise<Map<string, ProposalPatterns>> {
    const rows = await tx.$queryRaw<
      { id: string; fingerprints: string[]; models: unknown; firstSeen: string | null }[]
    >`
      SELECT "id"::text AS "id", "fingerprints", "evidence" -> 'models' AS "models",
        "evidence" ->> 'firstSeen' AS "firstSeen"
      FROM "proposal" WHERE "id" = ANY (${[...ids]}::uuid[])`;
    return new Map(rows.map(({ id, models, ...pattern }) => [id, { ...pattern, models: Models.parse(models ?? []) }]));
  }

  /** The pending retirement requests. */
  async pendingRequests(tx: Tx): Promise<Proposal[]> {
    const rows = await tx.proposal.findMany({ where: { state: 'pending', urgent: true } });
    return readRows('proposal', rows, toProposal);
  }

  async findExpired(tx: Tx, now: Date): Promise<Proposal[]> {
    const rows = await tx.proposal.findMany({ where: { state: 'pending', expiresAt: { lte: now } }, take: 500 });
    return readRows('proposal', rows, toProposal);
  }

  async isSkillNameTaken(tx: Tx, skillName: string): Promise<boolean> {
    const pending = await tx.proposal.count({ where: { skillName, state: 'pending' } });
    return pending > 0;
  }
}

/** What two proposals are compared by. */
export interface ClusterInput {
  readonly title: string;
  readonly condition: string;
  readonly fingerprints: readonly string[];
}

/** Minimum share of common words of two near-duplicates. */
const MIN_SIMILARITY = 0.6;
/** Words that most proposals contain. */
const COMMON = new Set(
  'a an and as be been before by for has in instead is it just of or run the to use when with'.split(' '),
);

const clusterInputOf = ({
  proposedSkill,
  fingerprints,
}: Pick<ProposalContent, 'proposedSkill' | 'fingerprints'>): ClusterInput => ({
  title: proposedSkill.title,
  condition: proposedSkill.condition,
  fingerprints,
});

/** The cluster of the most similar pending proposal; undefined if none is similar enough. Ties go to the first. */
export function clusterOf<T extends ClusterInput & { readonly cluster: string }>(
  proposal: ClusterInput,
  pending: readonly T[],
): string | undefined {
  let best: { cluster: string; similarity: number } | undefined;
  for (const other of pending) {
    const similarity = similarityOf(proposal, other);
    if (similarity >= MIN_SIMILARITY && similarity > (best?.similarity ?? 0))
      best = { cluster: other.cluster, similarity };
  }
  return best?.cluster;
}

/** The similarity from 0 to 1: 1 for a common pattern, else the share of common words in title and condition. */
export function similarityOf(a: ClusterInput, b: ClusterInput): number {
  if (a.fingerprints.some((fingerprint) => b.fingerprints.includes(fingerprint))) return 1;
  const [mine, theirs] = [wordsOf(a), wordsOf(b)];
  const shared = [...mine].filter((word) => theirs.has(word)).length;
  const all = mine.size + theirs.size - shared;
  return all === 0 ? 0 : shared / all;
}

function wordsOf({ title, condition }: ClusterInput): Set<string> {
  const words = `${title} ${condition}`.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)));
}
