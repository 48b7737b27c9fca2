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

export function isDeliveredTo(audience: Audience, percent: RolloutPercent, skillName: string): boolean {
  if (audience === 'everything') return true;
  return audience === 'public' ? percent === 100 : receives(percent, skillName, audience.agentId);
}
