import { type Fields, isFields } from '../importers/json-fields.js';
import { CLAUDE_EVENTS, type ClaudeEvent, HookPayload } from './hook.schema.js';
import { codexFields, copilotFields, geminiFields, openCodeFields } from './product-fields.js';

/** The agent products whose hooks are understood, as they stand in the address of their events. */
export const HOOK_PRODUCTS = ['claude-code', 'codex', 'gemini', 'opencode', 'copilot'] as const;
export type HookProduct = (typeof HOOK_PRODUCTS)[number];

export const isHookProduct = (product: string): product is HookProduct =>
  HOOK_PRODUCTS.some((known) => known === product);

const sameNames = CLAUDE_EVENTS.map((event): [string, ClaudeEvent] => [event, event]);

/** The events of a product by its own names and by Claude's, which its plugin may use. */
const EVENTS: Readonly<Record<HookProduct, ReadonlyMap<string, ClaudeEvent>>> = {
  'claude-code': new Map(sameNames),
  codex: new Map(sameNames),
  gemini: new Map([
    ...sameNames,
    ['BeforeAgent', 'UserPromptSubmit'],
    ['BeforeTool', 'PreToolUse'],
    ['AfterTool', 'PostToolUse'],
    ['AfterAgent', 'Stop'],
  ]),
  opencode: new Map([
    ...sameNames,
    ['session.created', 'SessionStart'],
    ['chat.message', 'UserPromptSubmit'],
    ['tool.execute.before', 'PreToolUse'],
    ['tool.execute.after', 'PostToolUse'],
    ['message.part.updated', 'PostToolUseFailure'],
    ['session.idle', 'Stop'],
    // A plugin sees only that a turn ended, so no event ends a session of OpenCode.
    ['SessionEnd', 'Stop'],
  ]),
  copilot: new Map([
    ...sameNames,
    ['sessionStart', 'SessionStart'],
    ['userPromptSubmitted', 'UserPromptSubmit'],
    ['preToolUse', 'PreToolUse'],
    ['postToolUse', 'PostToolUse'],
    ['postToolUseFailure', 'PostToolUseFailure'],
    ['subagentStart', 'SubagentStart'],
    ['subagentStop', 'SubagentStop'],
    ['agentStop', 'Stop'],
    ['sessionEnd', 'SessionEnd'],
  ]),
};

const READERS: Readonly<Record<HookProduct, (event: ClaudeEvent, body: Fields) => Fields | undefined>> = {
  'claude-code': (event, body) => ({ ...body, hook_event_name: event }),
  codex: codexFields,
  gemini: geminiFields,
  opencode: openCodeFields,
  copilot: copilotFields,
};

/**
 * An event of any product in the words of Claude Code. `PostToolUseFailure` is a call that failed, with its text as
 * `error`; `PostToolUse` is a call that worked.
 */
export interface ProductHook extends HookPayload {
  /** Set if the product reports only calls that ran. */
  readonly ran?: boolean;
  /** When the event was sent, in any form. Only compared. */
  readonly sentAt?: string;
  /** The address of the project's git remote, if the caller knows it. Only its owner and name are kept. */
  readonly origin?: string;
}

/**
 * The event of a product's hook in the words of Claude Code, with the decision whether its call failed. `event`: as in
 * the address. Undefined for an unknown event, and for a body without a session.
 */
export function hookPayloadOf(product: HookProduct, event: string, body: unknown): ProductHook | undefined {
  const name = EVENTS[product].get(event);
  const fields = name === undefined || !isFields(body) ? undefined : READERS[product](name, body);
  const parsed = HookPayload.safeParse(fields);
  if (!parsed.success) return undefined;
  const sentAt = isFields(body) ? body['timestamp'] : undefined;
  return {
    ...parsed.data,
    ...(fields?.['ran'] === true ? { ran: true } : {}),
    ...(typeof sentAt === 'string' || typeof sentAt === 'number' ? { sentAt: String(sentAt).slice(0, 100) } : {}),
  };
}
