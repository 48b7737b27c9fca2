import type { TimeBudget } from '../../platform/background/time-budget.js';
import { generaliseDeep } from '../text/generalise.js';
import { mapStrings } from '../text/map-strings.js';
import { type Redaction, toRedactions } from '../text/redaction.js';
import { redact, UNSCANNABLE } from './redact.js';

declare const sanitized: unique symbol;

/** A JSON-like value whose strings all went through `redact`. Only this file creates it. */
export type Sanitized<T> = T & { readonly [sanitized]: true };

/** The rule under which texts are counted that were withheld because the time for their value had been used up. */
export const TIME_BUDGET = 'time-budget';

const UNLIMITED: TimeBudget = { isSpent: () => false };

/**
 * Applies `redact` to every string in a JSON-like value. Keys stay unchanged, because strict schemas define them.
 * Redactions are summed over the whole value. Once the budget is spent, every further text is withheld as a whole.
 * Throws TypeError for values that `mapStrings` rejects.
 */
export function redactDeep<T>(
  value: T,
  budget: TimeBudget = UNLIMITED,
): { value: Sanitized<T>; redactions: Redaction[] } {
  const counts = new Map<string, number>();
  // The calls of an execution, and the data derived from them, repeat the same strings.
  const known = new Map<string, ReturnType<typeof redact>>();
  const clean = mapStrings(value, (text) => {
    let redacted = known.get(text);
    if (redacted === undefined) {
      redacted = budget.isSpent() && text !== '' ? withheld() : redact(text);
      known.set(text, redacted);
    }
    for (const { rule, count } of redacted.redactions) counts.set(rule, (counts.get(rule) ?? 0) + count);
    return redacted.text;
  });
  // Every string of the value is Redacted.
  return { value: clean as Sanitized<T>, redactions: toRedactions(counts) };
}

/**
 * The value that `redactDeep` returns for a value made from a sanitized one. Its unchanged texts are not scanned again,
 * because `redact` would find nothing in them.
 */
export function redactMadeFrom<T>(source: Sanitized<unknown>, value: T): Sanitized<T> {
  const clean = new Set<string>();
  mapStrings<unknown>(source, (text) => {
    clean.add(text);
    return text;
  });
  return mapStrings(value, (text) => (clean.has(text) ? text : redact(text).text)) as Sanitized<T>;
}

declare const general: unique symbol;

/** Without secrets, and without what names a person, a machine, a network or a folder. Only `generalOf` makes it. */
export type General<T> = Sanitized<T> & { readonly [general]: true };

/** The one way from what a report said to what others may read: every text redacted, then generalised. */
export function generalOf<T>(value: T): General<T> {
  // The brand exists for the compiler only.
  return redactDeep(generaliseDeep(redactDeep(value).value)).value as unknown as General<T>;
}

const withheld = (): ReturnType<typeof redact> => ({
  text: UNSCANNABLE,
  redactions: [{ rule: TIME_BUDGET, count: 1 }],
});
