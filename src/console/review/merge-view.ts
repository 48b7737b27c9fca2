import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { differenceRows } from '../frame/difference.js';
import { counted } from '../frame/quantity.js';

type Counts = ProposalDetails['evidence'];

/** Which of two skills stays, and why. Null for a proposal that is no merge. */
export function mergeView({ keeps, request, skillName, title, state, evidence }: ProposalDetails) {
  if (!keeps || request?.reason !== 'merge') return null;
  return {
    says: request.says,
    outcome: `If you approve, agents read only ${keeps.skillName}. Its file does not change. The evidence of both skills stays with their proposals.`,
    stays: { name: keeps.skillName, title: keeps.title, figures: figuresOf(keeps.evidence) },
    goes: { name: skillName, title, figures: figuresOf(evidence) },
    keptProposal: keeps.proposalId,
    lost:
      state === 'pending' && !keeps.isLive
        ? `${keeps.skillName} has changed or is no longer live: this proposal is withdrawn within a minute.`
        : null,
  };
}

/** The file that goes beside the one that stays. */
export function mergeDifference({ keeps, skillName, difference }: ProposalDetails) {
  if (!keeps || difference === null) return null;
  return {
    rows: differenceRows(difference),
    isSplit: true,
    title: 'Difference between the two files',
    before: `Goes: ${skillName}`,
    after: `Stays: ${keeps.skillName}`,
  };
}

const figuresOf = ({ agents, executions }: Pick<Counts, 'agents' | 'executions'>): string =>
  `${counted(agents, 'agent')} · ${counted(executions, 'execution')}`;
