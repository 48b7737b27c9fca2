import { type Authored, authorOf, type SkillTexts, textsOf } from './authorship.js';
import type { KeptEdit } from './kept-edit.schema.js';

/**
 * The authors of the texts that a new version kept: those whom the earlier proposal names for the very same text. A job
 * cannot name an author, because it only names the proposal.
 */
export function keptAuthors(
  { parts }: KeptEdit,
  proposedSkill: SkillTexts,
  {
    state,
    evidence,
  }: { readonly state: string; readonly evidence: { readonly authored?: readonly Authored[] | undefined } },
): Authored[] {
  if (state !== 'approved') return [];
  return textsOf(proposedSkill)
    .filter(({ part }) => parts.includes(part))
    .flatMap((text) => authorOf(evidence.authored ?? [], text) ?? []);
}
