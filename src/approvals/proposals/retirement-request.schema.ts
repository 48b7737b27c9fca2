import { z } from 'zod';
import { EffectFigures } from '../../skills/delivery/effect-figures.schema.js';

/** The use of a model according to the reports. */
const ModelShare = z.object({ model: z.string(), executions: z.int(), agents: z.int() });

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
  ])
  .meta({ id: 'RetirementRequest' });
export type RetirementRequest = z.infer<typeof RetirementRequest>;
