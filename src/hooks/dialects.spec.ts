import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HOOK_PRODUCTS, type HookProduct } from '../capture/hook-events/products.js';
import { responseOf } from './dialects.js';
import { type HookAnswer, NOTHING } from './hook-answer.js';

const text = (value: string): HookAnswer => ({ kind: 'text', text: value });
const refusal: HookAnswer = { kind: 'refuse', reason: 'Use python3.' };
const EVENTS = {
  'claude-code': ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'Stop'],
  codex: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'],
  gemini: ['SessionStart', 'BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent'],
  opencode: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse'],
  copilot: ['sessionStart', 'userPromptSubmitted', 'preToolUse', 'postToolUse', 'agentStop'],
} as const satisfies Record<HookProduct, readonly string[]>;
const answers = fc.oneof(
  fc.constant(NOTHING),
  fc.string({ unit: 'binary' }).map(text),
  fc.string({ unit: 'binary' }).map((reason): HookAnswer => ({ kind: 'refuse', reason })),
);
const anyEvent = fc
  .constantFrom(...HOOK_PRODUCTS)
  .chain((product) => fc.tuple(fc.constant(product), fc.constantFrom(...EVENTS[product])));

describe('the dialects of the products', () => {
  it.each<[HookProduct, string, object]>([
    [
      'claude-code',
      'PostToolUseFailure',
      { hookSpecificOutput: { hookEventName: 'PostToolUseFailure', additionalContext: 'T' } },
    ],
    ['codex', 'PostToolUse', { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'T' } }],
    ['gemini', 'AfterTool', { hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: 'T' } }],
    ['opencode', 'PostToolUse', { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'T' } }],
    ['copilot', 'postToolUse', { additionalContext: 'T' }],
  ])('give %s a text at %s', (product, event, wanted) => {
    expect(JSON.parse(responseOf(product, event, text('T')))).toEqual(wanted);
  });

  it.each<[HookProduct, string, object]>([
    [
      'claude-code',
      'PreToolUse',
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'Use python3.',
        },
      },
    ],
    [
      'codex',
      'PreToolUse',
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'Use python3.',
        },
      },
    ],
    ['gemini', 'BeforeTool', { decision: 'deny', reason: 'Use python3.' }],
    [
      'opencode',
      'PreToolUse',
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'Use python3.',
        },
      },
    ],
    ['copilot', 'preToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'Use python3.' }],
  ])('refuse a call of %s at %s', (product, event, wanted) => {
    expect(JSON.parse(responseOf(product, event, refusal))).toEqual(wanted);
  });

  it('refuse nothing but a call that has not run', () => {
    for (const product of HOOK_PRODUCTS)
      for (const event of EVENTS[product])
        if (!/^(?:pre|before)tool/i.test(event)) expect(responseOf(product, event, refusal)).toBe('{}');
  });

  it('never allow a call and never ask for permission, with any answer', () => {
    fc.assert(
      fc.property(anyEvent, answers, ([product, event], answer) => {
        const decisions: unknown[] = [];
        JSON.parse(responseOf(product, event, answer), (key, value) => {
          if (/decision$|behavior|continue|updatedInput|suppressOutput/i.test(key)) decisions.push(value);
          return value;
        });
        expect(decisions.every((decision) => decision === 'deny')).toBe(true);
        expect(decisions.length > 0 && answer.kind !== 'refuse').toBe(false);
      }),
    );
  });

  it('are one line of printable ASCII that says exactly the text, up to 4,000 characters', () => {
    fc.assert(
      fc.property(anyEvent, fc.string({ unit: 'binary', maxLength: 5_000 }), ([product, event], value) => {
        const body = responseOf(product, event, text(value));
        expect(body).toMatch(/^[ -~]+$/);
        expect(body.length).toBeLessThan(25_000);
        expect(body.replaceAll(/\\u[0-9a-f]{4}/g, '')).not.toContain('\\');
        let said: unknown;
        JSON.parse(body, (key, one) => {
          if (key === 'additionalContext') said = one;
          return one;
        });
        expect(said).toBe(value.slice(0, 4_000));
      }),
    );
  });
});
