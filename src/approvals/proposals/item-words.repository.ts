import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Item, ItemContent } from './approval-item.js';
import { searchOf, WORD_RULES, wordsOf } from './item-words.js';

type Searched = Pick<ItemContent, 'skillName' | 'artifact'> & { readonly title: string };

/** Keeps what an item is found by: with its submission and each revision, never with a decision. */
export async function keepWords(tx: Tx, id: string, { skillName, artifact, proposal }: ItemContent): Promise<void> {
  const words = wordsIn({ skillName, artifact, title: proposal.title });
  await tx.$executeRaw`
    INSERT INTO "approval_words" ("item_id", "rules", "words")
    VALUES (${id}::uuid, ${WORD_RULES}, array_to_tsvector(${words}::text[]))
    ON CONFLICT ("item_id") DO UPDATE SET "rules" = EXCLUDED."rules", "words" = EXCLUDED."words"`;
}

/** Items without words, or with those of other rules. */
export async function wordless(tx: Tx, limit: number): Promise<(Searched & Pick<Item, 'id' | 'revision'>)[]> {
  return tx.$queryRaw`
    SELECT i."id"::text AS "id", i."revision", i."title", i."skill_name" AS "skillName", i."artifact"
    FROM "approval_item" i LEFT JOIN "approval_words" w ON w."item_id" = i."id"
    WHERE w."rules" IS DISTINCT FROM ${WORD_RULES} LIMIT ${limit}`;
}

/** `keepWords` for an item as it was read before; false when it has been revised since, or has words by now. */
export async function keepWordsOf(tx: Tx, item: Searched & Pick<Item, 'id' | 'revision'>): Promise<boolean> {
  const count = await tx.$executeRaw`
    INSERT INTO "approval_words" ("item_id", "rules", "words")
    SELECT "id", ${WORD_RULES}, array_to_tsvector(${wordsIn(item)}::text[])
      FROM "approval_item" WHERE "id" = ${item.id}::uuid AND "revision" = ${item.revision}
    ON CONFLICT ("item_id") DO UPDATE SET "rules" = EXCLUDED."rules", "words" = EXCLUDED."words"
      WHERE "approval_words"."rules" <> EXCLUDED."rules"`;
  return count === 1;
}

/**
 * That an item holds all of it. The index finds what holds the beginnings; what a search asks for beyond them, the signs
 * between its words, is looked at there alone. A search for signs only looks through everything that fits otherwise.
 */
export function holds(text: string): Prisma.Sql {
  const { beginnings, passages } = searchOf(text);
  // Letters, digits and marks alone (`searchOf`): nothing in it is an operator.
  const words = beginnings.map((beginning) => `'${beginning}':*`).join(' & ');
  const each = passages.map((passage) => {
    // Whoever searches for % or _ means them.
    const like = `%${passage.replace(/[\\%_]/g, '\\$&')}%`;
    return Prisma.sql`(i."title" ILIKE ${like} OR i."skill_name" ILIKE ${like} OR i."artifact" ILIKE ${like})`;
  });
  const found = Prisma.sql`i."id" IN (SELECT w."item_id" FROM "approval_words" w WHERE w."words" @@ ${words}::tsquery)`;
  const all = [...(words === '' ? [] : [found]), ...each];
  return all.length === 0 ? Prisma.sql`false` : Prisma.join(all, ' AND ');
}

const wordsIn = ({ title, skillName, artifact }: Searched): string[] => wordsOf(`${title}\n${skillName}\n${artifact}`);
