import { Injectable } from '@nestjs/common';
import type { AgentGroup } from '../../access/identity/review-scope.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { Tx } from '../../platform/database/database.js';

const NO_GROUP: AgentGroup = { department: null, role: null };

/** The agents, as the ones that a skill is learned from and given to. */
@Injectable()
export class AudienceRepository {
  /** Agents that an approved skill reaches: git and the API give it to all of them. */
  countAgents(tx: Tx): Promise<number> {
    return tx.principal.count({ where: { kind: 'agent', disabledAt: null } });
  }

  /**
   * The person whom an agent's owner names, by name or address, where somebody else is a reviewer, too. Whoever reviews
   * alone has nobody to ask.
   */
  async reviewedOwner(tx: Tx, owner: string): Promise<string | null> {
    const [found] = await tx.$queryRaw<{ id: string }[]>`
      SELECT p."id"::text AS "id" FROM "principal" p
       WHERE p."kind" = 'person' AND lower(${owner}) IN (lower(p."name"), lower(p."email")) AND EXISTS (
         SELECT 1 FROM "principal" o WHERE o."kind" = 'person' AND o."is_reviewer" AND o."disabled_at" IS NULL
           AND o."id" <> p."id")
       ORDER BY p."name" = ${owner} DESC, p."created_at" LIMIT 1`;
    return found?.id ?? null;
  }

  /** Where these agents stand, each place once; one whom nobody registered stands nowhere. */
  async agentGroups(tx: Tx, names: readonly string[]): Promise<AgentGroup[]> {
    const rows = await tx.principal.findMany({
      where: { kind: 'agent', name: { in: [...names] } },
      select: { department: true, role: true },
    });
    const found = new Map(rows.map((group) => [JSON.stringify([group.department, group.role]), group]));
    if (rows.length < new Set(names).size) found.set(JSON.stringify([null, null]), NO_GROUP);
    return [...found].sort(([a], [b]) => compareText(a, b)).map(([, group]) => group);
  }
}
