import { z } from 'zod';
import { count } from '../platform/base/count.schema.js';
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
  })
  .meta({ id: 'SkillEffect' });
export type SkillEffect = z.infer<typeof SkillEffect>;

export const EffectList = z.object({ items: z.array(SkillEffect), total: z.int() }).meta({ id: 'EffectList' });
export type EffectList = z.infer<typeof EffectList>;
