import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Proposal, ProposalContent } from './proposal.js';
import { searchOf, WORD_RULES_VERSION, wordsOf } from './proposal-words.js';

type SearchableText = Pick<ProposalContent, 'skillName' | 'artifact'> & { readonly title: string };

/** Keeps what an item is found by: with its submission and each revision, never with a decision. */
export async function storeWords(
  tx: Tx,
  id: string,
  { skillName, artifact, proposedSkill }: ProposalContent,
): Promise<void> {
  const words = wordsIn({ skillName, artifact, title: proposedSkill.title });
  await tx.$executeRaw`
    INSERT INTO "proposal_words" ("proposal_id", "rules", "words")
    VALUES (${id}::uuid, ${WORD_RULES_VERSION}, array_to_tsvector(${words}::text[]))
    ON CONFLICT ("proposal_id") DO UPDATE SET "rules" = EXCLUDED."rules", "words" = EXCLUDED."words"`;
}

/** Items without words, or with those of other rules. */
export async function findWithoutWords(
  tx: Tx,
  limit: number,
): Promise<(SearchableText & Pick<Proposal, 'id' | 'revision'>)[]> {
  return tx.$queryRaw`
    SELECT i."id"::text AS "id", i."revision", i."title", i."skill_name" AS "skillName", i."artifact"
    FROM "proposal" i LEFT JOIN "proposal_words" w ON w."proposal_id" = i."id"
    WHERE w."rules" IS DISTINCT FROM ${WORD_RULES_VERSION} LIMIT ${limit}`;
}

/** `keepWords` for an item as it was read before; false when it has been revised since, or has words by now. */
export async function storeMissingWords(
  tx: Tx,
  proposal: SearchableText & Pick<Proposal, 'id' | 'revision'>,
): Promise<boolean> {
  const count = await tx.$executeRaw`
    INSERT INTO "proposal_words" ("proposal_id", "rules", "words")
    SELECT "id", ${WORD_RULES_VERSION}, array_to_tsvector(${wordsIn(proposal)}::text[])
      FROM "proposal" WHERE "id" = ${proposal.id}::uuid AND "revision" = ${proposal.revision}
    ON CONFLICT ("proposal_id") DO UPDATE SET "rules" = EXCLUDED."rules", "words" = EXCLUDED."words"
      WHERE "proposal_words"."rules" <> EXCLUDED."rules"`;
  return count === 1;
}

/**
 * That an item holds all of it. The index finds what holds the beginnings; what a search asks for beyond them, the signs
 * between its words, is looked at there alone. A search for signs only looks through everything that fits otherwise.
 */
export function searchCondition(text: string): Prisma.Sql {
  const { prefixes, phrases } = searchOf(text);
  // Letters, digits and marks alone (`searchOf`): nothing in it is an operator.
  const words = prefixes.map((beginning) => `'${beginning}':*`).join(' & ');
  const each = phrases.map((passage) => {
    // Whoever searches for % or _ means them.
    const like = `%${passage.replace(/[\\%_]/g, '\\$&')}%`;
    return Prisma.sql`(i."title" ILIKE ${like} OR i."skill_name" ILIKE ${like} OR i."artifact" ILIKE ${like})`;
  });
  const found = Prisma.sql`i."id" IN (SELECT w."proposal_id" FROM "proposal_words" w WHERE w."words" @@ ${words}::tsquery)`;
  const all = [...(words === '' ? [] : [found]), ...each];
  return all.length === 0 ? Prisma.sql`false` : Prisma.join(all, ' AND ');
}

const wordsIn = ({ title, skillName, artifact }: SearchableText): string[] =>
  wordsOf(`${title}\n${skillName}\n${artifact}`);
