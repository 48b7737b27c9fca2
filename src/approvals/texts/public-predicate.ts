import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { canonicalJson } from '../../platform/base/canonical-json.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { mapStrings } from '../../untrusted/text/map-strings.js';

/**
 * Returns the predicate, or undefined if one of its patterns holds private text: a secret, a path, a host or a person. A
 * predicate is kept as it was checked or left out, because a changed pattern is another predicate. Values that were seen in
 * an open place decide nothing: the private ones are left out.
 */
export function publicPredicate(predicate: Predicate | undefined): Predicate | undefined {
  if (predicate === undefined) return undefined;
  const { learned, ...matchers } = predicate;
  let shown = true;
  mapStrings(matchers, (pattern) => {
    shown &&= redact(pattern).text === pattern && isPublic(literalOf(pattern));
    return pattern;
  });
  if (!shown || learned === undefined) return shown ? predicate : undefined;
  const claim = publicClaim(learned);
  return claim && { ...matchers, learned: claim };
}

function publicClaim(claim: LearnedClaim): LearnedClaim | undefined {
  const conditions = claim.conditions.map((one) => ({
    ...one,
    values: Object.fromEntries(Object.entries(one.values).map(([name, seen]) => [name, seen.filter(isPublic)])),
  }));
  const patterns = conditions.flatMap(({ call, error, step = [], remedy }) => [call, error, step, remedy]);
  const texts = [
    ...patterns
      .flat()
      .flatMap((item) => (typeof item === 'string' ? item : 'part' in item ? [item.before, item.after] : [])),
    ...conditions.flatMap(({ closed, said }) => [...Object.values(closed).flat(), ...said]),
    // The sign of a feature is no part of its text.
    ...[claim.key, ...claim.follow, ...claim.rivals.flat()].map((feature) => feature.replace(/^[-+]/, '')),
  ];
  return texts.every(isPublic) ? { ...claim, conditions } : undefined;
}

const isPublic = (text: string): boolean => redact(text).text === text && generalise(text) === text;

/** What a pattern looks for, without the escapes of a regular expression. */
const literalOf = (pattern: string): string => pattern.replace(/\\[bBdDsSwW]/g, ' ').replace(/\\(.)/g, '$1');

/** Whether two skills claim the same, so that the check of one is the check of the other. */
export const claimsSame = (
  one: { readonly predicate?: Predicate | undefined },
  other: { readonly predicate?: Predicate | undefined },
): boolean => canonicalJson(one.predicate ?? null) === canonicalJson(other.predicate ?? null);
