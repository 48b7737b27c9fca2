import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database.js';
import { Prisma } from '../platform/generated/prisma/client.js';
import { toEntry } from './memory.repository.js';
import type { MemoryEntry, SkillPageQuery } from './memory.schema.js';

/** Skills of which no version is live any more: retired ones, and names that another skill took over. */
@Injectable()
export class EndedSkillRepository {
  /** The last version of each, in the order of their names; and how many there are. */
  async page(tx: Tx, { after = '', text, limit }: SkillPageQuery): Promise<{ entries: MemoryEntry[]; total: number }> {
    const pattern = text === undefined ? '%' : `%${text.replace(/[\\%_]/g, '\\$&')}%`;
    const ended = Prisma.sql`
      SELECT DISTINCT ON ("skill_name") "id", "skill_name" FROM "memory" "last"
       WHERE "scope" = 'ORG' AND "superseded_at" IS NOT NULL AND "skill_name" IS NOT NULL
         AND ("skill_name" ILIKE ${pattern} OR "discovery" ILIKE ${pattern})
         AND NOT EXISTS (SELECT 1 FROM "memory" "live" WHERE "live"."scope" = 'ORG' AND "live"."superseded_at" IS NULL
                            AND "live"."skill_name" = "last"."skill_name")
       ORDER BY "skill_name", "version" DESC`;
    const found = await tx.$queryRaw<{ id: string }[]>`
      SELECT "id"::text FROM (${ended}) "ended" WHERE "skill_name" > ${after} ORDER BY "skill_name" LIMIT ${limit}`;
    const [counted] = await tx.$queryRaw<{ n: number }[]>`SELECT count(*)::int AS "n" FROM (${ended}) "ended"`;
    const rows = await tx.memory.findMany({
      where: { id: { in: found.map(({ id }) => id) } },
      orderBy: { skillName: 'asc' },
    });
    return { entries: rows.map(toEntry), total: counted?.n ?? 0 };
  }
}
