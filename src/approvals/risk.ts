import type { ApprovalKind, Findings, Risk } from './approvals.schema.js';
import type { Evidence, Proposal } from './proposal.schema.js';

const LEVELS: readonly Risk[] = ['low', 'medium', 'high', 'critical'];

/** Words of commands that change something outside the agent's own checkout, or that cannot be undone. */
const STATE_CHANGING =
  /\b(?:push|deploy|publish|release|delete|drop|destroy|(?:kubectl|terraform|tofu|git) apply|rm|kill|chmod|chown|sudo|migrate|reset|force|prune|truncate|terminate|restart|merge|install|uninstall|shutdown|reboot)\b/i;

const FEW_TRIES = 5;
const MANY_AGENTS = 100;

/**
 * How much harm a wrong approval could do (spec E3). Each of these is one level: it tells agents to change state, its
 * remedy was tried fewer than five times, it changes a live skill, a hundred agents or more would receive it (`reach`).
 * A hint of injection is two. More of anything never makes it less.
 */
export function riskOf(
  kind: ApprovalKind,
  proposal: Pick<Proposal, 'action' | 'steps'>,
  evidence: Pick<Evidence, 'alternatives'>,
  findings: Pick<Findings, 'suspicions'>,
  reach: number,
): Risk {
  const tries = evidence.alternatives[0]?.n ?? 0;
  const points =
    (STATE_CHANGING.test([proposal.action, ...proposal.steps].join('\n')) ? 1 : 0) +
    (tries < FEW_TRIES ? 1 : 0) +
    (kind === 'new_skill' ? 0 : 1) +
    (reach >= MANY_AGENTS ? 1 : 0) +
    (findings.suspicions.length > 0 ? 2 : 0);
  return LEVELS[Math.min(points, LEVELS.length - 1)] ?? 'critical';
}
