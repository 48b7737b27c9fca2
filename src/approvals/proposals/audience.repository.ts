import { Injectable } from '@nestjs/common';
import type { AgentGroup } from '../../access/identity/review-scope.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { Tx } from '../../platform/database/database.js';

const NO_GROUP: AgentGroup = { department: null, role: null };

/** Reads the agents that a skill is learned from or delivered to. */
@Injectable()
export class AudienceRepository {
  /** The number of active agents: git and the API deliver an approved skill to all of them. */
  countAgents(tx: Tx): Promise<number> {
    return tx.principal.count({ where: { kind: 'agent', disabledAt: null } });
  }

  /**
   * The id of the person that all these owners refer to by name or e-mail address. Null if they refer to several people
   * or to none, or without another active reviewer: a single reviewer has no one else to ask.
   */
  async reviewedOwner(tx: Tx, owners: readonly string[]): Promise<string | null> {
    const found = new Set<string | null>();
    for (const owner of owners) found.add(await this.personOf(tx, owner));
    const [only = null] = found;
    return found.size === 1 ? only : null;
  }

  private async personOf(tx: Tx, owner: string): Promise<string | null> {
    const [found] = await tx.$queryRaw<{ id: string }[]>`
      SELECT p."id"::text AS "id" FROM "principal" p
       WHERE p."kind" = 'person' AND lower(${owner}) IN (lower(p."name"), lower(p."email")) AND EXISTS (
         SELECT 1 FROM "principal" o WHERE o."kind" = 'person' AND o."is_reviewer" AND o."disabled_at" IS NULL
           AND o."id" <> p."id")
       ORDER BY p."name" = ${owner} DESC, p."created_at" LIMIT 1`;
    return found?.id ?? null;
  }

  /**
   * The distinct groups of these agents. An agent that is not registered belongs to a group without department and
   * role.
   */
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
