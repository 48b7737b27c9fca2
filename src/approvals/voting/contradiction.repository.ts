import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Rival } from './contradiction.js';

/** A rival with the texts that the review shows. */
export interface ShownRival extends Rival {
  readonly title: string;
  readonly skillName: string;
  readonly condition: string;
  readonly action: string;
  readonly artifact: string;
}

interface Row extends Omit<ShownRival, 'live'> {
  readonly of: string;
  readonly entryId: string | null;
  readonly entryName: string | null;
}

/** Pairs of proposals that contradict each other. */
@Injectable()
export class ContradictionRepository {
  /** Adds pairs; a known pair is not added again. */
  async add(tx: Tx, proposalId: string, others: readonly string[]): Promise<void> {
    await tx.contradiction.createMany({
      data: others.map((other) => {
        const [first = proposalId, second = other] = [proposalId, other].sort();
        return { proposalId: first, otherProposalId: second };
      }),
      skipDuplicates: true,
    });
  }

  /**
   * Locks the rivals of these proposals. Two transactions that lock one side each deadlock; the database ends one of
   * them, and its retry finds the rival decided.
   */
  async lockRivals(tx: SqlClient, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await tx.$queryRaw`
      SELECT 1 FROM "proposal" WHERE "id" IN (SELECT pair."rival" FROM (${pairsOf(ids)}) pair)
      ORDER BY "id" FOR UPDATE`;
  }

  /** The rivals of each proposal, pending ones first, then by impact. Proposals without rivals are left out. */
  async rivals(tx: SqlClient, ids: readonly string[]): Promise<Map<string, ShownRival[]>> {
    const found = new Map<string, ShownRival[]>();
    if (ids.length === 0) return found;
    const rows = await tx.$queryRaw<Row[]>`
      SELECT pair."of"::text AS "of", r."id"::text AS "id", r."state"::text AS "state", r."fingerprints", r."title",
        r."editor_id" IS NOT NULL AS "isByPerson", r."skill_name" AS "skillName",
        r."proposed_skill" ->> 'condition' AS "condition", r."proposed_skill" ->> 'action' AS "action", r."artifact", m."id"::text AS "entryId", m."skill_name" AS "entryName"
      FROM (${pairsOf(ids)}) pair
        JOIN "proposal" r ON r."id" = pair."rival"
        LEFT JOIN "memory" m ON m."proposal_id" = r."id" AND m."scope" = 'org' AND m."superseded_at" IS NULL
      ORDER BY r."state" <> 'pending', r."impact" DESC, r."id"`;
    for (const { of, entryId, entryName, ...rival } of rows) {
      const shown = { ...rival, live: liveOf(entryId, entryName) };
      found.set(of, [...(found.get(of) ?? []), shown]);
    }
    return found;
  }
}

/** Each proposal with its rivals, from both columns of the pairs. */
const pairsOf = (ids: readonly string[]): Prisma.Sql => Prisma.sql`
  SELECT "proposal_id" AS "of", "other_proposal_id" AS "rival" FROM "proposal_contradiction" WHERE "proposal_id" = ANY (${[...ids]}::uuid[])
  UNION ALL
  SELECT "other_proposal_id", "proposal_id" FROM "proposal_contradiction" WHERE "other_proposal_id" = ANY (${[...ids]}::uuid[])`;

const liveOf = (id: string | null, skillName: string | null): Rival['live'] =>
  id === null || skillName === null ? null : { id, skillName };
