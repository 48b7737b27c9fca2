import { z } from 'zod';

/** Percentage of the agents that receive a skill. */
export const Percent = z.literal([5, 25, 100], { error: 'must be 5, 25 or 100' });

export const SetRollout = z.strictObject({ percent: Percent }).meta({ id: 'SetRollout' });
export type SetRollout = z.infer<typeof SetRollout>;

/** The current rollout stage of a skill, and its start. */
export const Rollout = z
  .object({ name: z.string(), version: z.int(), percent: Percent, since: z.string() })
  .meta({ id: 'Rollout' });
export type Rollout = z.infer<typeof Rollout>;
