import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Proposal, ProposalContent } from './proposal.js';
import { searchOf, WORD_RULES_VERSION, wordsOf } from './proposal-words.js';

type SearchableText = Pick<ProposalContent, 'skillName' | 'artifact'> & { readonly title: string };

/** Stores the words that a proposal is found by. Called with each revision, never with a decision. */
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

/** Proposals without words, or with words of another version of the rules. */
export async function findWithoutWords(
  tx: Tx,
  limit: number,
): Promise<(SearchableText & Pick<Proposal, 'id' | 'revision'>)[]> {
  return tx.$queryRaw`
    SELECT i."id"::text AS "id", i."revision", i."title", i."skill_name" AS "skillName", i."artifact"
    FROM "proposal" i LEFT JOIN "proposal_words" w ON w."proposal_id" = i."id"
    WHERE w."rules" IS DISTINCT FROM ${WORD_RULES_VERSION} LIMIT ${limit}`;
}

/** Stores the words of a proposal read earlier; false if it was revised since, or has current words. */
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
 * The SQL condition for a search. The index finds proposals with all prefixes; phrases and signs are then compared in
 * those proposals only. A search without letters or digits scans every proposal that meets the other conditions.
 */
export function searchCondition(text: string): Prisma.Sql {
  const { prefixes, phrases } = searchOf(text);
  // Prefixes contain only letters, digits and marks (`searchOf`), so they cannot contain an operator.
  const words = prefixes.map((beginning) => `'${beginning}':*`).join(' & ');
  const each = phrases.map((passage) => {
    // % and _ are literal in a search.
    const like = `%${passage.replace(/[\\%_]/g, '\\$&')}%`;
    return Prisma.sql`(i."title" ILIKE ${like} OR i."skill_name" ILIKE ${like} OR i."artifact" ILIKE ${like})`;
  });
  const found = Prisma.sql`i."id" IN (SELECT w."proposal_id" FROM "proposal_words" w WHERE w."words" @@ ${words}::tsquery)`;
  const all = [...(words === '' ? [] : [found]), ...each];
  return all.length === 0 ? Prisma.sql`false` : Prisma.join(all, ' AND ');
}

const wordsIn = ({ title, skillName, artifact }: SearchableText): string[] =>
  wordsOf(`${title}\n${skillName}\n${artifact}`);
