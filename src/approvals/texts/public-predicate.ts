import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { canonicalJson } from '../../platform/base/canonical-json.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { mapStrings } from '../../untrusted/text/map-strings.js';

/**
 * Returns the predicate, or undefined if one of its patterns holds private text: a secret, a path, a host or a person. A
 * predicate is kept as it was checked or left out, because a changed pattern is another predicate.
 */
export function publicPredicate(predicate: Predicate | undefined): Predicate | undefined {
  if (predicate === undefined) return undefined;
  let isPublic = true;
  mapStrings(predicate, (pattern) => {
    const text = literalOf(pattern);
    isPublic &&= redact(pattern).text === pattern && redact(text).text === text && generalise(text) === text;
    return pattern;
  });
  return isPublic ? predicate : undefined;
}

/** What a pattern looks for, without the escapes of a regular expression. */
const literalOf = (pattern: string): string => pattern.replace(/\\[bBdDsSwW]/g, ' ').replace(/\\(.)/g, '$1');

/** Whether two skills claim the same, so that the check of one is the check of the other. */
export const claimsSame = (
  one: { readonly predicate?: Predicate | undefined },
  other: { readonly predicate?: Predicate | undefined },
): boolean => canonicalJson(one.predicate ?? null) === canonicalJson(other.predicate ?? null);
