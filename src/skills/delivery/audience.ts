import { sha256 } from '../../platform/base/canonical-json.js';

/** Percentages of agents that receive a skill: the stages of a rollout. */
export const ROLLOUT_PERCENTS = [5, 25, 100] as const;
export type RolloutPercent = (typeof ROLLOUT_PERCENTS)[number];

/** Who requests skills. People and services see all of them; anonymous callers see those that every agent receives. */
export type Audience = 'everything' | 'public' | { readonly agentId: string };

export const audienceOf = ({ kind, id }: { kind: 'agent' | 'person' | 'service'; id: string }): Audience =>
  kind === 'agent' ? { agentId: id } : 'everything';

/**
 * Bucket of an agent for a skill, in [0, 100): uniformly distributed, stable, and independent from skill to skill.
 * Agent ids are random and assigned by the server, so an agent cannot choose its bucket.
 */
export function bucketOf(skillName: string, agentId: string): number {
  const digest = sha256(JSON.stringify(['audience/1', skillName, agentId]));
  // 48 bits, so that the number is exact.
  return (Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48) * 100;
}

/** An agent that receives the skill at 5 % also receives it at 25 % and at 100 %. */
export function receives(percent: RolloutPercent, skillName: string, agentId: string): boolean {
  return percent === 100 || bucketOf(skillName, agentId) < percent;
}

/** The owner whose agents alone supported a skill. */
export interface SourceOwner {
  /** The owner's name; of an agent without one, that of the agent. */
  readonly owner: string;
  readonly agentIds: ReadonlySet<string>;
}

/** Who receives a live version, if not every agent. */
export interface DeliveryLimit {
  readonly percent: RolloutPercent;
  /** Only this owner's agents receive it, until agents of another owner support it. */
  readonly boundTo?: SourceOwner | undefined;
}

/**
 * Whether a version is delivered to an agent, or withheld from it as one of the control group. Undefined for an agent of an
 * owner whom the version is not for: it is in neither group.
 */
export function armOf(
  limit: DeliveryLimit | undefined,
  skillName: string,
  agentId: string,
): 'delivered' | 'withheld' | undefined {
  if (limit === undefined) return 'delivered';
  if (limit.boundTo && !limit.boundTo.agentIds.has(agentId)) return undefined;
  return receives(limit.percent, skillName, agentId) ? 'delivered' : 'withheld';
}

export function isDeliveredTo(audience: Audience, limit: DeliveryLimit | undefined, skillName: string): boolean {
  if (audience === 'everything' || limit === undefined) return true;
  if (audience === 'public') return limit.percent === 100 && limit.boundTo === undefined;
  return armOf(limit, skillName, audience.agentId) === 'delivered';
}
