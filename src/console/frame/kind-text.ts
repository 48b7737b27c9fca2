import type { ProposalSummary } from '../../approvals/proposals/proposals.schema.js';
import { say } from '../texts/texts.js';

/** What a proposal does, in two or three words. A merge names the skill that stays. */
export const kindText = ({ kind, mergesInto }: Pick<ProposalSummary, 'kind' | 'mergesInto'>): string =>
  mergesInto === null ? say(`kind.${kind}`) : say('kind.merge', { name: mergesInto });
