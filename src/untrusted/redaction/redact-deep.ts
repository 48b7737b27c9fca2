import { mapStrings } from '../text/map-strings.js';
import { type Redaction, toRedactions } from '../text/redaction.js';
import { redact } from './redact.js';

declare const sanitized: unique symbol;

/** A JSON-like value all of whose strings went through `redact`. Only `redactDeep` makes it. */
export type Sanitized<T> = T & { readonly [sanitized]: true };

/**
 * `redact` for every string in a JSON-like value. Keys stay as they are: they are ours, by strict schemas. Findings are
 * summed up over the whole value. Throws TypeError for what `mapStrings` refuses.
 */
export function redactDeep<T>(value: T): { value: Sanitized<T>; redactions: Redaction[] } {
  const counts = new Map<string, number>();
  // The calls of an execution and what is read from them say the same things again and again.
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
  // The one place where this brand is given: every string of it is Redacted.
  return { value: clean as Sanitized<T>, redactions: toRedactions(counts) };
}
