import { z } from 'zod';

/** The address of an event: the product, and its own name of the event. */
export const HookAddress = z.object({ product: z.string().min(1).max(40), event: z.string().min(1).max(100) });
export type HookAddress = z.infer<typeof HookAddress>;
export const HookProductParam = HookAddress.pick({ product: true });
export type HookProductParam = z.infer<typeof HookProductParam>;

/** The input of a hook, as the product gives it. */
export const HookBody = z.record(z.string(), z.unknown()).meta({ id: 'HookBody' });
export type HookBody = z.infer<typeof HookBody>;

/** The answer in the dialect of the product; empty where there is nothing to say. It never allows a call. */
export const HookResponse = z
  .object({
    hookSpecificOutput: z
      .object({
        hookEventName: z.string(),
        additionalContext: z.string().optional(),
        permissionDecision: z.literal('deny').optional(),
        permissionDecisionReason: z.string().optional(),
      })
      .optional(),
    additionalContext: z.string().optional(),
    permissionDecision: z.literal('deny').optional(),
    permissionDecisionReason: z.string().optional(),
    decision: z.literal('deny').optional(),
    reason: z.string().optional(),
  })
  .meta({ id: 'HookResponse' });

/** Events that this process could not read since its start: of a product or a name that this version does not know. */
export const HookState = z.object({ unknownEvents: z.int().min(0) }).meta({ id: 'HookState' });
export type HookState = z.infer<typeof HookState>;
