import type { HookProduct } from '../capture/hook-events/products.js';
import { type HookAnswer, LONGEST_TEXT } from './hook-answer.js';

/**
 * The JSON that a product reads as this answer; undefined where it reads none. `event`: the product's own name of it, as
 * in the address.
 */
type Dialect = (event: string, answer: Exclude<HookAnswer, { kind: 'nothing' }>) => object | undefined;

/** Claude Code and Codex, and our plugin for OpenCode. */
const claude: Dialect = (event, answer) => {
  if (answer.kind === 'text') return specific(event, { additionalContext: answer.text });
  if (event !== 'PreToolUse') return undefined;
  return specific(event, { permissionDecision: 'deny', permissionDecisionReason: answer.reason });
};

const specific = (hookEventName: string, output: object): object => ({
  hookSpecificOutput: { hookEventName, ...output },
});

const gemini: Dialect = (event, answer) => {
  if (answer.kind === 'text') return specific(event, { additionalContext: answer.text });
  return event === 'BeforeTool' ? { decision: 'deny', reason: answer.reason } : undefined;
};

const copilot: Dialect = (event, answer) => {
  if (answer.kind === 'text') return { additionalContext: answer.text };
  return event === 'preToolUse' ? { permissionDecision: 'deny', permissionDecisionReason: answer.reason } : undefined;
};

const DIALECTS: Readonly<Record<HookProduct, Dialect>> = {
  'claude-code': claude,
  codex: claude,
  gemini,
  opencode: claude,
  copilot,
};

const EMPTY = '{}';
/** Printable ASCII without the characters that need an escape in JSON. */
const ESCAPED = /[^ !#-[\]-~]/g;

/**
 * The body of the response: one line of JSON in the product's dialect. In its strings every character but plain ASCII
 * is `\uXXXX`, so that the shell client can check the whole line with one regular expression before it prints it.
 */
export function responseOf(product: HookProduct, event: string, answer: HookAnswer): string {
  if (answer.kind === 'nothing') return EMPTY;
  const clipped: HookAnswer =
    answer.kind === 'text'
      ? { ...answer, text: answer.text.slice(0, LONGEST_TEXT) }
      : { ...answer, reason: answer.reason.slice(0, LONGEST_TEXT) };
  const body = DIALECTS[product](event, clipped);
  return body === undefined ? EMPTY : asciiJson(body);
}

function asciiJson(value: unknown): string {
  if (typeof value === 'string') return `"${value.replace(ESCAPED, escaped)}"`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `"${key}":${asciiJson(one)}`)
    .join(',')}}`;
}

/** One UTF-16 code unit. */
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
