import { sumBy } from '../../platform/base/sum.js';
import type { Findings, ProposalKind, Risk } from './proposals.schema.js';
import type { Evidence, ProposedSkill } from './proposed-skill.schema.js';

const LEVELS: readonly Risk[] = ['low', 'medium', 'high', 'critical'];

/** Words of commands that change something outside the agent's own checkout, or that cannot be undone. */
const STATE_CHANGING =
  /\b(?:push|deploy|publish|release|delete|drop|destroy|(?:kubectl|terraform|tofu|git) apply|rm|kill|chmod|chown|sudo|migrate|reset|force|prune|truncate|terminate|restart|merge|install|uninstall|shutdown|reboot)\b/i;

const FEW_TRIES = 5;
const MANY_AGENTS = 100;

/** Why a wrong approval could do harm, with what each reason counts. */
const POINTS = { 'state-changing': 1, 'few-tries': 1, live: 1, reach: 1, suspicion: 2 } as const;
export type RiskReason = keyof typeof POINTS;

type RiskInput = readonly [
  kind: ProposalKind,
  proposal: Pick<ProposedSkill, 'action' | 'steps'>,
  evidence: Pick<Evidence, 'alternatives'>,
  findings: Pick<Findings, 'suspicions'>,
  reach: number,
];

/**
 * How much harm a wrong approval could do (spec E3). Each of these is one level: it tells agents to change state, its
 * remedy was tried fewer than five times, it changes a live skill, a hundred agents or more would receive it (`reach`).
 * A hint of injection is two. More of anything never makes it less.
 */
export function riskOf(...proposal: RiskInput): Risk {
  const points = sumBy(riskReasons(...proposal), (reason) => POINTS[reason]);
  return LEVELS[Math.min(points, LEVELS.length - 1)] ?? 'critical';
}

/** The reasons for an item's risk, as a reviewer is told them. */
export function riskReasons(...[kind, proposedSkill, evidence, findings, reach]: RiskInput): RiskReason[] {
  const holds: Record<RiskReason, boolean> = {
    suspicion: findings.suspicions.length > 0,
    'state-changing': STATE_CHANGING.test([proposedSkill.action, ...proposedSkill.steps].join('\n')),
    live: kind !== 'new_skill',
    'few-tries': (evidence.alternatives[0]?.n ?? 0) < FEW_TRIES,
    reach: reach >= MANY_AGENTS,
  };
  // The keys of a record of reasons.
  return (Object.keys(holds) as RiskReason[]).filter((reason) => holds[reason]);
}
