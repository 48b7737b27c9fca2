import { plainText } from '../text/plain-text.js';
import { type Redaction, toRedactions } from '../text/redaction.js';
import { findSecrets, type ScanBudget } from './secret-spans.js';

export type { Redaction as Finding };

declare const redacted: unique symbol;

/** Plain text in which every secret known to the rules is replaced by a marker. Only `redact` creates it. */
export type Redacted = string & { readonly [redacted]: true };

/** The longest text that is scanned, in UTF-16 code units. The fields of a report are far shorter. */
export const MAX_SCANNED_LENGTH = 256 * 1024;

/**
 * The cost limit, in characters that rules scan and not in seconds, so that every machine treats a text the same.
 * Ordinary text of maximum length stays far below it; a text made of keywords alone would otherwise take many seconds
 * and block the server.
 */
const SCAN_BUDGET = 12_000_000;

/**
 * A text needs one pass, or two if a marker exposes another secret. A text that needs more was built to defeat the
 * rules.
 */
const MAX_PASSES = 8;

/**
 * Returns a text in the form in which it may be stored, logged, sent to a model or journalled: normalised by
 * `plainText`, and every secret replaced by `[REDACTED:rule]`. Nothing in the text can disable a rule. Idempotent;
 * existing markers and placeholders stay. Fails closed: a text that is too long or too costly to scan becomes
 * `[REDACTED:unscannable]` as a whole. Cut to length afterwards (`clip`), never before.
 */
export function redact(text: string): { text: Redacted; redactions: Redaction[] } {
  const counts = new Map<string, number>();
  const budget: ScanBudget = { remaining: SCAN_BUDGET };
  let current = text.length > MAX_SCANNED_LENGTH ? text : plainText(text);
  // Repeats until nothing is found, so that a second call would find nothing in the result.
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
  return { text: UNSCANNABLE, redactions: [{ rule: 'unscannable', count: 1 }] };
}

// The only place that creates the brand: all callers pass text in which findSecrets found nothing.
const brand = (text: string): Redacted => text as Redacted;

/** Stands for a text that was withheld as a whole. */
export const UNSCANNABLE = brand('[REDACTED:unscannable]');
