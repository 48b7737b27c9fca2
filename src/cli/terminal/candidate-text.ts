import type { CandidateRow, FamilyRow } from '../../evolve/cycle/candidates.schema.js';
import { clip } from '../../untrusted/text/clip.js';

/** Characters of a signature. */
const SIGNATURE = 60;

const DROPPED: Readonly<Record<NonNullable<CandidateRow['because']>, string>> = {
  refuted: 'refuted: it works no better than something else',
  too_few_tries: 'too few executions tried it',
  no_clear_difference: 'no difference beyond chance',
  managed: 'the error says it, and every execution did it at once',
  too_few_agents: 'it worked for too few agents or owners',
  no_words: 'no call that may be shown teaches it',
  scope: 'its condition matches mostly other failures',
  gate: 'a check of its text refused it',
  merged: 'another candidate teaches the same',
  other_writer: 'what another writer wrote about these failures won',
};

/** What the failures of a family say. */
export const familyText = ({ signature }: Pick<FamilyRow, 'signature'>): string => clip(signature, SIGNATURE);

/** The pair that a verdict stands on. */
export function pairText({ with: followed, without }: Pick<CandidateRow, 'with' | 'without'>): string {
  return `with it ${followed.worked} of ${followed.n} worked, without it ${without.worked} of ${without.n}`;
}

/** Why the candidate was not proposed. A newer server may know reasons that this program does not. */
export function dropText({ because }: Pick<CandidateRow, 'because'>): string {
  if (because === null) return 'became a draft';
  return `not proposed: ${DROPPED[because] ?? because}; examined again when its evidence grows`;
}
