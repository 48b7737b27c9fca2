import { z } from 'zod';
import { count } from '../../platform/base/count.schema.js';

const Arm = z.object({ agents: count, executions: count, failures: count, rate: z.number().nullable() });

/** Failure rates with and without a skill, and the estimate of their difference (see `effect.ts`). */
export const EffectFigures = z
  .object({
    with: Arm,
    without: Arm,
    /**
     * Failure rate without the skill minus with it, -1 to 1: positive means that it helps. Null with too little data.
     */
    difference: z.number().nullable(),
    /** Confidence sequence, valid at every look. */
    interval: z.tuple([z.number(), z.number()]).nullable(),
    level: z.number(),
    verdict: z.enum(['helps', 'no-difference-yet', 'harms', 'not-enough-data']),
  })
  .meta({ id: 'EffectFigures' });
export type EffectFigures = z.infer<typeof EffectFigures>;
