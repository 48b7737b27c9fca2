import { sumBy } from '../../platform/base/sum.js';
import type { DangerClass } from '../../untrusted/danger/danger.js';
import { isDangerKind } from '../../untrusted/text/suspicions.js';
import type { ProposalContent } from './proposal.js';
import type { Findings, ProposalKind, Risk } from './proposals.schema.js';
import type { Evidence, ProposedSkill } from './proposed-skill.schema.js';

const LEVELS: readonly Risk[] = ['low', 'medium', 'high', 'critical'];

/** Commands that change something outside the agent's checkout, or that cannot be undone. */
const STATE_CHANGING =
  /\b(?:push|deploy|publish|release|delete|drop|destroy|(?:kubectl|terraform|tofu|git) apply|rm|kill|chmod|chown|sudo|migrate|reset|force|prune|truncate|terminate|restart|merge|install|uninstall|shutdown|reboot)\b/i;

const FEW_TRIES = 5;
/** More agents than these add nothing to the risk. */
export const MANY_AGENTS = 100;

/** The points of each reason why a wrong approval could do harm. */
const POINTS = {
  'state-changing': 1,
  'few-tries': 1,
  live: 1,
  reach: 1,
  suspicion: 2,
  danger: 2,
  'skips-check': 3,
} as const;
export type RiskReason = keyof typeof POINTS;

type RiskInput = readonly [
  kind: ProposalKind,
  proposal: Pick<ProposedSkill, 'action' | 'steps'>,
  evidence: Pick<Evidence, 'alternatives' | 'dangers'>,
  findings: Pick<Findings, 'suspicions'>,
  reach: number,
];

/**
 * The harm that a wrong approval could do. One level each: the skill tells agents to change state, its remedy was tried
 * fewer than five times, it changes a live skill, or at least 100 agents receive it (`reach`). A sign of prompt
 * injection counts two levels, and so does a command that skips a check, turns a protection off or changes the source of
 * code or credentials. A failure that was only overcome by skipping a check is always critical. The risk never decreases
 * with an additional reason.
 */
export function riskOf(...proposal: RiskInput): Risk {
  const points = sumBy(riskReasons(...proposal), (reason) => POINTS[reason]);
  return LEVELS[Math.min(points, LEVELS.length - 1)] ?? 'critical';
}

/** The reasons of a proposal's risk, for the review. */
export function riskReasons(...[kind, proposedSkill, evidence, findings, reach]: RiskInput): RiskReason[] {
  const has = (kind: DangerClass): boolean => evidence.dangers?.some((danger) => danger.class === kind) ?? false;
  const applies: Record<RiskReason, boolean> = {
    suspicion: findings.suspicions.some(({ kind }) => !isDangerKind(kind)),
    danger: findings.suspicions.some(({ kind }) => isDangerKind(kind)) || has('source'),
    'skips-check': has('check'),
    'state-changing': STATE_CHANGING.test([proposedSkill.action, ...proposedSkill.steps].join('\n')),
    live: kind !== 'new_skill',
    'few-tries': (evidence.alternatives[0]?.n ?? 0) < FEW_TRIES,
    reach: reach >= MANY_AGENTS,
  };
  // The keys of `applies` are exactly the reasons.
  return (Object.keys(applies) as RiskReason[]).filter((reason) => applies[reason]);
}

type Rated = Pick<ProposalContent, 'risk' | 'votesNeeded' | 'findings'>;

/**
 * The ratings of a job's revision: never below those before it. A job chooses what it submits, and must not reduce by
 * it how many people decide.
 */
export function neverLower<T extends Rated>(before: Rated, after: T): T {
  return {
    ...after,
    risk: higherRisk(before.risk, after.risk),
    votesNeeded: Math.max(before.votesNeeded, after.votesNeeded),
    findings: { ...after.findings, suspicions: joinSuspicions(before.findings.suspicions, after.findings.suspicions) },
  };
}

export const higherRisk = (one: Risk, other: Risk): Risk => (LEVELS.indexOf(one) > LEVELS.indexOf(other) ? one : other);

/** Each kind once, with the larger count. */
export function joinSuspicions(one: Findings['suspicions'], other: Findings['suspicions']): Findings['suspicions'] {
  const joined = new Map(other.map((suspicion) => [suspicion.kind, suspicion]));
  for (const suspicion of one)
    if ((joined.get(suspicion.kind)?.count ?? 0) < suspicion.count) joined.set(suspicion.kind, suspicion);
  return [...joined.values()];
}
