import { Injectable } from '@nestjs/common';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { MemoryEntry, SkillPageQuery } from './memory.schema.js';
import { toEntry } from './memory-row.js';

export interface SkillPage {
  readonly entries: MemoryEntry[];
  /** Over all pages. */
  readonly total: number;
}

/** Pages of skills by name, live or ended. One query returns the page and the total. */
@Injectable()
export class SkillPageRepository {
  /** The live version of each skill. */
  live(tx: Tx, query: SkillPageQuery): Promise<SkillPage> {
    const live = Prisma.sql`
      SELECT "id", "skill_name" FROM "memory"
       WHERE "scope" = 'org' AND "superseded_at" IS NULL AND "skill_name" IS NOT NULL AND ${matchesText(query.text)}`;
    return this.page(tx, live, query);
  }

  /** The last version of each skill without a live version: it was retired, or replaced by a skill of another name. */
  ended(tx: Tx, query: SkillPageQuery): Promise<SkillPage> {
    const ended = Prisma.sql`
      SELECT DISTINCT ON ("skill_name") "id", "skill_name" FROM "memory" "last"
       WHERE "scope" = 'org' AND "superseded_at" IS NOT NULL AND "skill_name" IS NOT NULL AND ${matchesText(query.text)}
         AND NOT EXISTS (SELECT 1 FROM "memory" "live" WHERE "live"."scope" = 'org' AND "live"."superseded_at" IS NULL
                            AND "live"."skill_name" = "last"."skill_name")
       ORDER BY "skill_name", "version" DESC`;
    return this.page(tx, ended, query);
  }

  private async page(tx: Tx, skills: Prisma.Sql, { after = '', limit }: SkillPageQuery): Promise<SkillPage> {
    const [found] = await tx.$queryRaw<{ total: number; ids: string[] }[]>`
      WITH "found" AS MATERIALIZED (${skills})
      SELECT (SELECT count(*)::int FROM "found") AS "total",
        ARRAY(SELECT "id"::text FROM "found" WHERE "skill_name" > ${after} ORDER BY "skill_name" LIMIT ${limit}) AS "ids"`;
    const { ids, total } = found ?? { ids: [], total: 0 };
    const rows = ids.length === 0 ? [] : await tx.memory.findMany({ where: { id: { in: ids } } });
    const byId = new Map(readRows('memory', rows, toEntry).map((entry) => [entry.id, entry]));
    return { entries: ids.flatMap((id) => byId.get(id) ?? []), total };
  }
}

/** Escapes % and _, which a user means literally. */
function matchesText(text: string | undefined): Prisma.Sql {
  if (text === undefined) return Prisma.sql`TRUE`;
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return Prisma.sql`("skill_name" ILIKE ${pattern} OR "discovery" ILIKE ${pattern})`;
}
