import { mapStrings } from '../text/map-strings.js';
import { type Redaction, toRedactions } from '../text/redaction.js';
import { redact } from './redact.js';

declare const sanitized: unique symbol;

/** A JSON-like value whose strings all went through `redact`. Only `redactDeep` creates it. */
export type Sanitized<T> = T & { readonly [sanitized]: true };

/**
 * Applies `redact` to every string in a JSON-like value. Keys stay unchanged, because strict schemas define them.
 * Redactions are summed over the whole value. Throws TypeError for values that `mapStrings` rejects.
 */
export function redactDeep<T>(value: T): { value: Sanitized<T>; redactions: Redaction[] } {
  const counts = new Map<string, number>();
  // The calls of an execution, and the data derived from them, repeat the same strings.
  const known = new Map<string, ReturnType<typeof redact>>();
  const clean = mapStrings(value, (text) => {
    let redacted = known.get(text);
    if (redacted === undefined) {
      redacted = redact(text);
      known.set(text, redacted);
    }
    for (const { rule, count } of redacted.redactions) counts.set(rule, (counts.get(rule) ?? 0) + count);
    return redacted.text;
  });
  // The only place that creates this brand: every string of the value is Redacted.
  return { value: clean as Sanitized<T>, redactions: toRedactions(counts) };
}
