import { z } from 'zod';

const text = z.string().optional().catch(undefined);

/**
 * What a coding agent posts at an event of its session (formats C1, C3); the two agents write the same shape. Read
 * leniently: an agent must not fail because of a field that we do not know.
 */
export const HookPayload = z
  .object({
    session_id: z.string().min(1),
    hook_event_name: z.string().min(1).max(100),
    cwd: text,
    prompt: text,
    prompt_id: text,
    turn_id: text,
    model: text,
    agent_id: text,
    tool_name: text,
    tool_input: z.unknown().optional(),
    tool_use_id: text,
    tool_response: z.unknown().optional(),
    error: text,
    is_interrupt: z.boolean().optional().catch(undefined),
    duration_ms: z.number().optional().catch(undefined),
    last_assistant_message: text,
  })
  .meta({ id: 'HookPayload' });
export type HookPayload = z.infer<typeof HookPayload>;

/** Nothing that would steer the agent: an empty answer lets it go on. */
export const HookResponse = z.object({}).meta({ id: 'HookResponse' });
export type HookResponse = z.infer<typeof HookResponse>;
