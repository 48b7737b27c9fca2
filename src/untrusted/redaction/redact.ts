import { plainText } from '../text/plain-text.js';
import { type Redaction, toRedactions } from '../text/redaction.js';
import { findSecrets, type ScanBudget } from './secret-spans.js';

export type { Redaction as Finding };

declare const redacted: unique symbol;

/** Plain text in which every secret that the rules know is a marker. Only `redact` makes it. */
export type Redacted = string & { readonly [redacted]: true };

/** The longest text that is looked at, in UTF-16 code units. The fields of a report are far below it (spec L1). */
export const MAX_SCANNED_LENGTH = 256 * 1024;

/**
 * The deadline, counted in characters that rules look at and not in seconds, so that a text is treated the same on
 * every machine. Ordinary text of the greatest length stays far below; a text made of nothing but key words would
 * take many seconds otherwise (threats §7 row 22).
 */
const SCAN_BUDGET = 8_000_000;

/** A text needs one pass, or two where a marker uncovers something; who needs more is playing with the rules. */
const MAX_PASSES = 8;

/**
 * Text as it may be stored, logged, prompted or journalled (spec L2): normalised by `plainText`, then every secret
 * replaced by `[REDACTED:rule]`. Nothing in the text can switch a rule off. Idempotent; markers and placeholders that
 * are there already stay. Fails closed: what is too long or too costly to look at becomes `[REDACTED:unscannable]` as
 * a whole. Cut to length afterwards (`clip`), never before.
 */
export function redact(text: string): { text: Redacted; redactions: Redaction[] } {
  const counts = new Map<string, number>();
  const budget: ScanBudget = { remaining: SCAN_BUDGET };
  let current = text.length > MAX_SCANNED_LENGTH ? text : plainText(text);
  // To a fixed point, so that the result holds nothing that a second call would find.
  for (let pass = 0; pass < MAX_PASSES && current.length <= MAX_SCANNED_LENGTH; pass++) {
    const secrets = findSecrets(current, budget);
    if (secrets === 'too costly') break;
    if (secrets.length === 0) return { text: brand(current), redactions: toRedactions(counts) };
    let rest = 0;
    let next = '';
    for (const { rule, start, end } of secrets) {
      next += `${current.slice(rest, start)}[REDACTED:${rule}]`;
      rest = end;
      counts.set(rule, (counts.get(rule) ?? 0) + 1);
    }
    current = next + current.slice(rest);
  }
  return { text: brand('[REDACTED:unscannable]'), redactions: [{ rule: 'unscannable', count: 1 }] };
}

// The one place where the brand is given: all callers pass text that findSecrets found nothing in.
const brand = (text: string): Redacted => text as Redacted;
