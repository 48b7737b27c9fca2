import { z } from 'zod';
import { count } from '../platform/base/count.schema.js';
import { MOMENTS } from '../skills/delivery/delivery-tally.js';
import { EffectFigures } from '../skills/delivery/effect-figures.schema.js';
import { Percent } from '../skills/delivery/rollout.schema.js';

const SkillUseTotals = z.object({
  offered: count,
  loaded: count,
  applied: count,
  /** Outcomes of the executions in which it was applied. */
  outcomes: z.object({ success: count, failure: count, unknown: count }),
  /** Number of distinct agents with at least one use. */
  agents: count,
  /** Those of them that do not receive it at its present stage and have it from a git clone. */
  withheldAgents: count,
});

/** A stage at which some agents did not receive the skill. */
const WithheldStage = z.object({ percent: Percent, since: z.string(), until: z.string().nullable() });

const MomentArm = z.object({
  agents: count,
  deliveries: count,
  judged: count,
  followed: count,
  overcome: count,
  meanCalls: z.number().nullable(),
  meanSeconds: z.number().nullable(),
  again: count,
  later: count,
});

/** What the hooks of agents delivered at a moment, and what became of it. */
export const MomentEffect = z
  .object({
    moment: z.enum(MOMENTS),
    delivered: MomentArm,
    /** Agents of the control group, which received nothing. */
    withheld: MomentArm,
    /** After a failure: a failure of these figures is one that was not overcome within five calls. Null otherwise. */
    figures: EffectFigures.nullable(),
  })
  .meta({ id: 'MomentEffect' });
export type MomentEffect = z.infer<typeof MomentEffect>;

/** What hooks delivered of all lessons, by moment; empty before the first delivery. */
export const DeliveredByMoment = z.object({ moments: z.array(MomentEffect) }).meta({ id: 'DeliveredByMoment' });
export type DeliveredByMoment = z.infer<typeof DeliveredByMoment>;

export const SkillEffect = z
  .object({
    name: z.string(),
    version: z.int(),
    live: z.boolean(),
    /** The current stage. */
    percent: Percent,
    since: z.string(),
    /** The stages that the figures compare; empty if every agent received the skill from the start. */
    compared: z.array(WithheldStage),
    figures: EffectFigures,
    /** The verdict in one sentence. */
    says: z.string(),
    uses: SkillUseTotals,
    /** Deliveries over hooks of this version, by moment; empty if there were none. */
    moments: z.array(MomentEffect),
  })
  .meta({ id: 'SkillEffect' });
export type SkillEffect = z.infer<typeof SkillEffect>;

export const EffectList = z.object({ items: z.array(SkillEffect), total: z.int() }).meta({ id: 'EffectList' });
export type EffectList = z.infer<typeof EffectList>;
