import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Rival } from './contradiction.js';

/** A rival as it is shown beside the item. */
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

/** Which items cannot both hold. */
@Injectable()
export class ContradictionRepository {
  /** A pair that is known already stays one. */
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
   * Waits for whoever decides on a rival of these right now. Two who hold one side each wait for one another; the database
   * ends that, and whoever is tried again finds the rival decided.
   */
  async lockRivals(tx: SqlClient, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await tx.$queryRaw`
      SELECT 1 FROM "proposal" WHERE "id" IN (SELECT pair."rival" FROM (${pairsOf(ids)}) pair)
      ORDER BY "id" FOR UPDATE`;
  }

  /** By item, what waits first, and then by impact. Items without rivals are left out. */
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

/** Each with its rival, on whichever side of the row they stand. */
const pairsOf = (ids: readonly string[]): Prisma.Sql => Prisma.sql`
  SELECT "proposal_id" AS "of", "other_proposal_id" AS "rival" FROM "proposal_contradiction" WHERE "proposal_id" = ANY (${[...ids]}::uuid[])
  UNION ALL
  SELECT "other_proposal_id", "proposal_id" FROM "proposal_contradiction" WHERE "other_proposal_id" = ANY (${[...ids]}::uuid[])`;

const liveOf = (id: string | null, skillName: string | null): Rival['live'] =>
  id === null || skillName === null ? null : { id, skillName };
