import { z } from 'zod';

export const ToolCallCheck = z
  .strictObject({
    tool: z.strictObject({
      name: z.string().trim().min(1).max(200),
      /** The command, or the shape of the arguments, for the journal. */
      action: z.string().trim().max(1_000).optional(),
      /** The effect of the call. The default is the safe assumption that it changes something. */
      effect: z.enum(['reads', 'changes', 'irreversible']).default('changes'),
    }),
    /** The memories that led to the call, directly or through conclusions. */
    memories: z.array(z.uuid()).max(200),
    /** What hooks delivered to this session is judged as well. */
    sessionId: z.string().trim().min(1).max(200).optional(),
  })
  .meta({ id: 'ToolCallCheck' });
export type ToolCallCheck = z.output<typeof ToolCallCheck>;

export const GateDecision = z
  .object({
    decision: z.enum(['allow', 'deny']),
    reasons: z.array(
      z.object({
        memory: z.uuid(),
        because: z.enum([
          'unknown',
          'ended',
          'unverified',
          'derived_from_unverified',
          'insufficient_evidence',
          'too_many_sources',
        ]),
      }),
    ),
  })
  .meta({ id: 'GateDecision' });
export type GateDecision = z.infer<typeof GateDecision>;
