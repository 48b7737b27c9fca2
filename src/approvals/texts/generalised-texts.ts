import { CallPair, type ObservedCalls } from '../../evidence/calls/lesson-parts.schema.js';
import { LONGEST_SHOWN_CALL } from '../../evidence/calls/shown-call.schema.js';
import type { Dossier } from '../../evidence/gates/dossier.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { canonicalJson } from '../../platform/base/canonical-json.js';
import { splitAtCode } from '../../skills/document/markdown-code.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { generalise, generaliseCommand, generaliseWith, homeOwnersIn } from '../../untrusted/text/generalise.js';
import { mapStrings } from '../../untrusted/text/map-strings.js';
import type { SkillTexts } from './authorship.js';

interface GeneralisedTexts<T> {
  readonly proposedSkill: T;
  readonly calls: ObservedCalls | undefined;
}

/**
 * Generalises the texts of a skill together with the observed calls. A command in a text and the observed call that it
 * shows are changed alike, so that the one stays an instance of the other; a home folder named in any of them is removed
 * from all.
 */
export function generaliseTexts<T extends SkillTexts>(
  proposedSkill: T,
  calls: ObservedCalls | undefined,
): GeneralisedTexts<T> {
  const owners = homeOwnersIn({ proposedSkill, calls: calls ?? null });
  // A changed pattern is another predicate; the caller leaves out one that holds private text.
  const { example, predicate, ...texts } = proposedSkill;
  const command = (text: string) => generaliseCommand(text, owners);
  const shown = example && mapStrings(example, command);
  const isShort = ({ call }: { call: string }): boolean => call.length <= LONGEST_SHOWN_CALL;
  const keepsExample =
    shown && [shown.failed, ...shown.between, ...(shown.worked ? [shown.worked] : [])].every(isShort);
  return {
    // The same fields with other strings; only the example may be left out, which is optional.
    proposedSkill: {
      ...mapStrings(texts, (text) => generaliseText(text, owners)),
      ...(keepsExample ? { example: shown } : {}),
      ...(predicate === undefined ? {} : { predicate }),
    } as T,
    calls: calls && {
      worked: mapStrings(calls.worked, command).filter(isShort),
      failed: mapStrings(calls.failed, command).filter(isShort),
    },
  };
}

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;

function generaliseText(text: string, owners: readonly string[]): string {
  let isCode = false;
  return text
    .split('\n')
    .map((line) => {
      if (FENCE.test(line)) isCode = !isCode;
      if (isCode) return generaliseCommand(line, owners);
      return splitAtCode(line)
        .map((part) => (part.isCode ? generaliseCommand(part.text, owners) : generaliseWith(part.text, owners)))
        .join('');
    })
    .join('\n');
}

/** The same for pairs of calls, whose executions stay. */
export function generalisePairs(pairs: readonly CallPair[]): CallPair[] {
  return pairs.flatMap(({ executionId, failedAt, workedAt, ...texts }) => {
    const owners = homeOwnersIn(texts);
    const shown = mapStrings(texts, (text) => generaliseCommand(text, owners));
    const pair = CallPair.safeParse({ executionId, failedAt, workedAt, ...shown });
    return pair.success ? [pair.data] : [];
  });
}

/** The size of a dossier as canonical JSON, in UTF-16 code units: about 2,000 tokens. */
export const LARGEST_DOSSIER = 8_192;

/** Generalises the texts of a dossier: its calls as commands, everything else as prose. */
export function generaliseDossier({ examples, ...dossier }: Dossier): Dossier {
  const owners = homeOwnersIn({ examples, dossier });
  return {
    ...mapStrings(dossier, (text) => generaliseWith(text, owners)),
    examples: mapStrings(examples, (text) => generaliseCommand(text, owners)),
  };
}

/**
 * Cuts sanitized texts to the length that they had before, since a marker may be longer than what it replaced, and
 * leaves out the last examples of a dossier that is too large. `before` has the same fields.
 */
export function fitDossier<T extends Dossier>(clean: T, before: Dossier): T {
  const lengths: number[] = [];
  mapStrings(before, (text) => {
    lengths.push(text.length);
    return text;
  });
  let next = 0;
  // In the order of `before`, so that the n-th text of both is the same one.
  let fitted = mapStrings({ ...before, ...clean }, (text) => clip(text, lengths[next++] ?? 0));
  while (fitted.examples.length > 0 && canonicalJson(fitted).length > LARGEST_DOSSIER)
    fitted = { ...fitted, examples: fitted.examples.slice(0, -1) };
  return fitted;
}

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
