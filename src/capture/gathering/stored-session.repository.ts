import { Injectable } from '@nestjs/common';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { HookFacts } from '../hook-events/hook-event.js';

const Place = HookFacts.pick({ project: true, environment: true });
const Tool = HookFacts.shape.tool.nonoptional();

@Injectable()
export class StoredSessionRepository {
  async existsOfHooks(tx: SqlClient, agentId: string, formats: readonly string[]): Promise<boolean> {
    const rows = await tx.$queryRaw<{ one: number }[]>`
      SELECT 1 AS "one" FROM "fragment_assembly"
      WHERE "agent_id" = ${agentId}::uuid AND "format" = ANY(${[...formats]}::text[]) LIMIT 1`;
    return rows.length > 0;
  }

  /** The distinct places of the newest events, the oldest of them first. */
  async places(
    tx: SqlClient,
    assemblyId: string,
    limit: number,
  ): Promise<Pick<HookFacts, 'project' | 'environment'>[]> {
    const rows = await tx.$queryRaw<{ id: string; project: string | null; environment: unknown }[]>`
      SELECT "assembly_id"::text AS "id", "facts"->>'project' AS "project", "facts"->'environment' AS "environment"
      FROM "report_fragment" WHERE "assembly_id" = ${assemblyId}::uuid
      GROUP BY 1, 2, 3 ORDER BY max("facts"->>'at') DESC LIMIT ${limit}::int`;
    return readRows('report_fragment', rows.reverse(), ({ project, environment }) =>
      Place.parse({ ...(project === null ? {} : { project }), ...(environment === null ? {} : { environment }) }),
    );
  }

  /** The distinct calls of events that come before them, the newest first. */
  async comingCalls(tx: SqlClient, assemblyId: string, limit: number): Promise<NonNullable<HookFacts['tool']>[]> {
    const rows = await tx.$queryRaw<{ id: string; tool: unknown }[]>`
      SELECT "assembly_id"::text AS "id", "facts"->'tool' AS "tool" FROM "report_fragment"
      WHERE "assembly_id" = ${assemblyId}::uuid AND "facts"->>'event' = 'PreToolUse'
      GROUP BY 1, 2 ORDER BY max("facts"->>'at') DESC LIMIT ${limit}::int`;
    return readRows('report_fragment', rows, ({ tool }) => Tool.parse(tool));
  }
}
