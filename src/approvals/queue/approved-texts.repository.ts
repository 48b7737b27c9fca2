import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Verdict } from '../../evidence/predicate/check.schema.js';
import { count } from '../../platform/base/count.schema.js';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { ProposedSkill } from '../proposals/proposed-skill.schema.js';
import { WRITTEN_PARTS } from '../texts/authorship.js';
import type { ApprovedTexts } from './approved-texts.js';

/** Rows of a query. Between two queries the process can answer requests. */
const PAGE = 200;

const AuthoredParts = z.array(z.object({ part: z.enum(WRITTEN_PARTS) }));
const Audience = z.array(z.object({ department: z.string().nullable(), role: z.string().nullable() }));

interface Row {
  readonly id: string;
  readonly fingerprints: readonly string[];
  readonly applicability: string;
  readonly texts: unknown;
  readonly audience: unknown;
  readonly agents: unknown;
  readonly executions: unknown;
  readonly verdict: unknown;
  readonly authored: unknown;
  readonly writer: string;
}

/** Reads what approved proposals say, without their files. */
@Injectable()
export class ApprovedTextsRepository {
  /** By proposal id. */
  async of(tx: Tx, proposalIds: readonly string[]): Promise<Map<string, ApprovedTexts>> {
    const found = new Map<string, ApprovedTexts>();
    for (let at = 0; at < proposalIds.length; at += PAGE) {
      const rows = await this.page(tx, proposalIds.slice(at, at + PAGE));
      for (const [id, texts] of readRows('proposal', rows, toTexts)) found.set(id, texts);
    }
    return found;
  }

  private page(tx: Tx, ids: readonly string[]): Promise<Row[]> {
    return tx.$queryRaw`
      SELECT "id"::text AS "id", "fingerprints", "applicability", "proposed_skill" AS "texts", "audience",
        "evidence" -> 'agents' AS "agents", "evidence" -> 'executions' AS "executions",
        "evidence" #> '{check,verdict}' AS "verdict", COALESCE("evidence" -> 'authored', '[]'::jsonb) AS "authored",
        COALESCE("evidence" #>> '{writer,by}', 'rules') AS "writer"
      FROM "proposal" WHERE "id" = ANY (${[...ids]}::uuid[]) AND "state" = 'approved'`;
  }
}

const toTexts = ({ id, fingerprints, applicability, writer, ...row }: Row): [string, ApprovedTexts] => [
  id,
  {
    fingerprints,
    applicability,
    writer,
    texts: ProposedSkill.parse(row.texts),
    audience: Audience.parse(row.audience),
    agents: count.parse(row.agents),
    executions: count.parse(row.executions),
    verdict: Verdict.nullable().parse(row.verdict),
    authored: AuthoredParts.parse(row.authored).map(({ part }) => part),
  },
];
