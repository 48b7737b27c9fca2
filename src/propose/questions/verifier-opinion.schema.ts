import { z } from 'zod';

/** What a second model may say about a memory. */
export const VerifierOpinion = z.strictObject({
  verdict: z.enum(['supports', 'contradicts', 'cannot_tell']),
  reason: z.string().max(1_000),
});
export type VerifierOpinion = z.infer<typeof VerifierOpinion>;
