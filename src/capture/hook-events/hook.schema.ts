import { z } from 'zod';
import { count, flag, text } from '../../platform/base/lenient.schema.js';

/** The events of Claude Code that say something about a session. Codex uses the same names. */
export const CLAUDE_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'StopFailure',
  'SessionEnd',
] as const;
export type ClaudeEvent = (typeof CLAUDE_EVENTS)[number];

/**
 * The payload that a coding agent posts for an event of its session. Claude Code and Codex use the same shape. Parsed
 * leniently: an unknown or malformed optional field must not make the agent's hook fail.
 */
export const HookPayload = z
  .object({
    session_id: z.string().min(1),
    hook_event_name: z.string().min(1).max(100),
    cwd: text,
    transcript_path: text,
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
    is_interrupt: flag,
    duration_ms: count,
    last_assistant_message: text,
  })
  .meta({ id: 'HookPayload' });
export type HookPayload = z.infer<typeof HookPayload>;

/** One hook in a file: the payload of a product with the name of its event. */
export const HookRecord = z.looseObject({ hook_event_name: z.string().min(1).max(100) });
