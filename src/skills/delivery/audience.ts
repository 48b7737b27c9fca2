import { sha256 } from '../../platform/base/canonical-json.js';

/** Shares of the agents that receive a skill, in percent: the ramp of a rollout. */
export const ROLLOUT_PERCENTS = [5, 25, 100] as const;
export type RolloutPercent = (typeof ROLLOUT_PERCENTS)[number];

/** Who asks for skills. People and services see all of them; whoever says nothing, those that everybody receives. */
export type Audience = 'everything' | 'public' | { readonly agentId: string };

export const audienceOf = ({ kind, id }: { kind: 'agent' | 'person' | 'service'; id: string }): Audience =>
  kind === 'agent' ? { agentId: id } : 'everything';

/**
 * Where an agent stands for a skill, in [0, 100): evenly spread, always the same, and independent from skill to skill.
 * Ids of agents are random and made by the server: nobody chooses their place.
 */
export function bucketOf(skillName: string, agentId: string): number {
  const digest = sha256(JSON.stringify(['audience/1', skillName, agentId]));
  // 48 bits, so that the number is exact
  return (Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48) * 100;
}

/** Who is inside at 5 % is inside at 25 % and at 100 %. */
export function receives(percent: RolloutPercent, skillName: string, agentId: string): boolean {
  return percent === 100 || bucketOf(skillName, agentId) < percent;
}

export function isDeliveredTo(audience: Audience, percent: RolloutPercent, skillName: string): boolean {
  if (audience === 'everything') return true;
  return audience === 'public' ? percent === 100 : receives(percent, skillName, audience.agentId);
}
