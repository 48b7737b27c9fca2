import { PLACEHOLDER } from './placeholder.js';
import type { SecretRule } from './secret-rule.js';
import { isSecretInContext, SECRET_RULES } from './secret-rules.js';

/** Where a secret stands in a text, and the rule that names it. */
export interface SecretSpan {
  readonly rule: string;
  readonly start: number;
  readonly end: number;
}

/**
 * How many characters of matches are looked at per pass. Ordinary text stays below its own length; a text made of
 * nothing but key words would take seconds otherwise (threats §7 row 22). Counted, not timed: the same everywhere.
 */
const MAX_WORK = 2_000_000;

/** Plain text holds no NUL: a rule can neither match a placeholder nor take its name ("token") for a context. */
const HIDDEN = '\0';

const TOKEN = /[A-Za-z0-9+/=_.~@$^&!*-]{12,}/g;
const CONTEXT_LENGTH = 80;

/** All secrets of a plain text, in order and apart from each other; or that finding them would cost too much. */
export function findSecrets(text: string, rules: readonly SecretRule[] = SECRET_RULES): SecretSpan[] | 'too costly' {
  const view = text.replace(new RegExp(PLACEHOLDER, 'g'), (placeholder) => HIDDEN.repeat(placeholder.length));
  const lower = view.toLowerCase();
  const work = { left: MAX_WORK };
  const found: SecretSpan[] = [];
  for (const rule of rules) {
    if (rule.keywords.length > 0 && !rule.keywords.some((keyword) => lower.includes(keyword))) continue;
    for (const [start, end] of matches(view, rule, work)) found.push(...uncovered(view, rule.id, start, end));
    if (work.left < 0) return 'too costly';
  }
  for (const [start, end] of randomTokens(view)) found.push({ rule: 'high-entropy', start, end });
  return merge(found);
}

function* matches(view: string, rule: SecretRule, work: { left: number }): Generator<readonly [number, number]> {
  const { pattern } = rule;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(view); match !== null && work.left >= 0; match = pattern.exec(view)) {
    work.left -= match[0].length;
    const [start, end] = match.indices?.slice(1).find((group) => group !== undefined) ??
      match.indices?.[0] ?? [match.index, match.index + match[0].length];
    const secret = view.slice(start, end).replaceAll(HIDDEN, '');
    if (secret !== '' && (rule.accepts?.(secret) ?? true)) yield [start, end];
    // What was taken for a value may be the name of the next one: `token password = …`.
    else pattern.lastIndex = Math.max(start, match.index + 1);
  }
}

/** A span without the placeholders in it, which stay. */
function* uncovered(view: string, rule: string, start: number, end: number): Generator<SecretSpan> {
  for (const part of view.slice(start, end).matchAll(/[^\0]+/g)) {
    if (!/[\p{L}\p{N}]/u.test(part[0])) continue;
    yield { rule, start: start + part.index, end: start + part.index + part[0].length };
  }
}

function* randomTokens(view: string): Generator<readonly [number, number]> {
  for (const match of view.matchAll(TOKEN)) {
    const before = view.slice(Math.max(0, match.index - CONTEXT_LENGTH), match.index);
    const context = before.slice(before.lastIndexOf('\n') + 1);
    let start = match.index;
    for (const piece of match[0].split(/(?<=[/.=@&])/)) {
      const token = piece.replace(/[/.=&@!*$^]$/, '');
      if (isSecretInContext(token, context)) yield [start, start + token.length];
      start += piece.length;
    }
  }
}

/** Joins what overlaps or touches, under the name of the rule that stands first in the table. */
function merge(found: readonly SecretSpan[]): SecretSpan[] {
  const merged: SecretSpan[] = [];
  // Sorting is stable, and `found` is in the order of the table.
  for (const span of [...found].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || span.start > last.end) merged.push(span);
    else merged[merged.length - 1] = { rule: last.rule, start: last.start, end: Math.max(last.end, span.end) };
  }
  return merged;
}
