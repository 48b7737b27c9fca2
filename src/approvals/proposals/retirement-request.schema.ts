import { z } from 'zod';
import { EffectFigures } from '../../skills/delivery/effect-figures.schema.js';

/** The use of a model according to the reports. */
const ModelShare = z.object({ model: z.string(), executions: z.int(), agents: z.int() });

/** A version of a skill, by its memory and its bytes. */
const SkillVersion = z.object({
  memoryId: z.uuid(),
  proposalId: z.uuid(),
  skillName: z.string(),
  version: z.int(),
  artifactSha256: z.string(),
});

/** Why a job requests the retirement of a live skill. */
export const RetirementRequest = z
  .discriminatedUnion('reason', [
    z.object({ reason: z.literal('harm'), says: z.string(), effect: EffectFigures }),
    z.object({
      reason: z.literal('dependency-changed'),
      says: z.string(),
      /** The models in the evidence of the skill. */
      was: z.array(z.string()),
      /** The models that its agents use now and that are not in the evidence. */
      is: z.array(ModelShare),
      /** Executions of its agents that name a model; `onOthers` counts those on a model that is not in the evidence. */
      executions: z.int(),
      onOthers: z.int(),
    }),
    /** Another live skill says the same. `keep` is the version that stays, as it was when this was submitted. */
    z.object({ reason: z.literal('merge'), says: z.string(), keep: SkillVersion }),
  ])
  .meta({ id: 'RetirementRequest' });
export type RetirementRequest = z.infer<typeof RetirementRequest>;
