import type { SqlClient } from '../../platform/database/sql-client.js';

/** What a database knows of its skills repository. */
export interface SkillsRecord {
  readonly id: string;
  /** The last commit that the decisions explain. */
  readonly known: string | null;
  /** The commits of published decisions. */
  readonly published: readonly string[];
}

/** Undefined if no server has run on the database. */
export async function findSkillsRecord(sql: SqlClient): Promise<SkillsRecord | undefined> {
  const [record] = await sql.$queryRaw<{ id: string; known: string | null }[]>`
    SELECT "id"::text AS "id", "known_commit" AS "known" FROM "skills_repository"`;
  if (record === undefined) return undefined;
  const rows = await sql.$queryRaw<{ commit: string }[]>`
    SELECT "commit" FROM "publication" WHERE "state" = 'published' AND "commit" IS NOT NULL`;
  return { ...record, published: rows.map(({ commit }) => commit) };
}
