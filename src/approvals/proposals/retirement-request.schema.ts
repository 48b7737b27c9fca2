import { z } from 'zod';
import { EffectFigures } from '../../skills/delivery/effect-figures.schema.js';

/** What the reports say of the models that agents run on. */
const ModelShare = z.object({ model: z.string(), executions: z.int(), agents: z.int() });

/** Why somebody should look at a live skill again. */
export const RetirementRequest = z
  .discriminatedUnion('reason', [
    z.object({ reason: z.literal('harm'), says: z.string(), effect: EffectFigures }),
    z.object({
      reason: z.literal('dependency-changed'),
      says: z.string(),
      /** The models that the evidence of the skill was seen on. */
      was: z.array(z.string()),
      /** The models that its agents run on now and that are not among those. */
      is: z.array(ModelShare),
      /** Executions of its agents that name their model, and those of them on such a model. */
      executions: z.int(),
      onOthers: z.int(),
    }),
  ])
  .meta({ id: 'RetirementRequest' });
export type RetirementRequest = z.infer<typeof RetirementRequest>;
