import { SECOND_MS } from '../../platform/base/durations.js';
import { count, measure } from '../../platform/telemetry/metrics.js';
import type { Proposal } from '../proposals/proposal.js';

/** Counts a decision after its commit. A vote that leaves the proposal pending is one, too, but ends no review. */
export function countDecision(decision: 'approved' | 'overridden' | 'rejected', proposal: Proposal): void {
  const isOpen = proposal.state === 'pending';
  count('guildbook_decisions_total', { decision: isOpen ? 'vote' : decision });
  const { createdAt, decidedAt } = proposal;
  if (isOpen || decidedAt === null) return;
  const seconds = Math.max(0, decidedAt.getTime() - createdAt.getTime()) / SECOND_MS;
  measure('guildbook_decision_age_seconds', seconds, { decision });
}
