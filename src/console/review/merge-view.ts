import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { differenceRows } from '../texts/difference.js';
import { say } from '../texts/texts.js';

type Counts = ProposalDetails['evidence'];

/** Which of two skills stays, and why. Null for a proposal that is no merge. */
export function mergeView({ keeps, request, skillName, title, state, evidence }: ProposalDetails) {
  if (!keeps || request?.reason !== 'merge') return null;
  return {
    says: request.says,
    outcome: say('merge.outcome', { name: keeps.skillName }),
    stays: { name: keeps.skillName, title: keeps.title, figures: figuresOf(keeps.evidence) },
    goes: { name: skillName, title, figures: figuresOf(evidence) },
    keptProposal: keeps.proposalId,
    lost: state === 'pending' && !keeps.isLive ? say('merge.lost', { name: keeps.skillName }) : null,
  };
}

/** The file that goes beside the one that stays. */
export function mergeDifference({ keeps, skillName, difference }: ProposalDetails) {
  if (!keeps || difference === null) return null;
  return {
    rows: differenceRows(difference),
    isSplit: true,
    title: say('merge.difference'),
    before: say('merge.before', { name: skillName }),
    after: say('merge.after', { name: keeps.skillName }),
  };
}

const figuresOf = ({ agents, executions }: Pick<Counts, 'agents' | 'executions'>): string =>
  say('merge.figures', { agents, executions });
