import { z } from 'zod';
import { Percent } from './rollout.schema.js';

const count = z.int().min(0);
const Arm = z.object({ agents: count, executions: count, failures: count, rate: z.number().nullable() });

/** Failure rates with and without a skill, and what may be said about their difference (`effect.ts`). */
export const EffectFigures = z
  .object({
    with: Arm,
    without: Arm,
    /** Failure rate without minus with, -1 to 1: positive helps. Null with too little data. */
    difference: z.number().nullable(),
    /** Holds at every look. */
    interval: z.tuple([z.number(), z.number()]).nullable(),
    level: z.number(),
    verdict: z.enum(['helps', 'no-difference-yet', 'harms', 'not-enough-data']),
  })
  .meta({ id: 'EffectFigures' });
export type EffectFigures = z.infer<typeof EffectFigures>;

const Uses = z.object({
  offered: count,
  loaded: count,
  applied: count,
  /** How the executions in which it was applied ended. */
  outcomes: z.object({ success: count, failure: count, unknown: count }),
  /** Distinct agents with any use. */
  agents: count,
  /** Those of them that do not receive it at its present stage, and have it from git. */
  withheldAgents: count,
});

/** A stage in which some agents did without. */
const WithheldStage = z.object({ percent: Percent, since: z.string(), until: z.string().nullable() });

export const SkillEffect = z
  .object({
    name: z.string(),
    version: z.int(),
    live: z.boolean(),
    /** Where it stands now. */
    percent: Percent,
    since: z.string(),
    /** The stages that the figures are of; empty when everybody has received it from the start. */
    compared: z.array(WithheldStage),
    figures: EffectFigures,
    /** The verdict in plain words. */
    says: z.string(),
    uses: Uses,
  })
  .meta({ id: 'SkillEffect' });
export type SkillEffect = z.infer<typeof SkillEffect>;

export const EffectList = z.object({ items: z.array(SkillEffect), total: z.int() }).meta({ id: 'EffectList' });
export type EffectList = z.infer<typeof EffectList>;
