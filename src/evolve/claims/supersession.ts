import type { Binding } from '../../evidence/predicate/check.schema.js';
import type { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { sharedCount } from '../../platform/base/sum.js';
import {
  type Applicability,
  type ApplicabilityRelation,
  compareApplicability,
  readApplicability,
} from './applicability.js';
import { generalises, type Situation, situationsOf } from './breadth.js';
import { type ClaimPolarity, OPPOSITES, polarityOf, undoEachOther } from './claim-polarity.js';
import { type ClaimRelation, isSameRemedy, relationOf } from './claim-relation.js';

/**
 * When to do what, and how certain that is. `applicability` names the failing action and error, if the claim has one.
 */
export interface Claim {
  condition: string;
  action: string;
  confidence: number;
  /** Executions or agents behind the claim; decides between equal confidences. */
  evidence?: number;
  applicability?: string;
  /** Identifies the remedy of a claim of the evolver: equal fingerprints are one remedy in any wording. */
  actionFingerprint?: string;
  /** What the learning core found: its patterns say when it holds and what it asks for, and not the words. */
  learned?: LearnedClaim;
  /** Where it holds; undefined if nothing limits it. */
  binding?: Binding;
}

export type ClaimComparison = 'CONFLICT' | 'FULL' | 'PARTIAL';

/**
 * The thresholds of the reference system for overlap, coverage and action, over content words of any script. `same` is
 * ours: two sentences from one template share most words, and the few others say what each is about.
 */
export const SUPERSESSION_THRESHOLDS = { overlap: 0.5, coverage: 0.8, action: 0.5, same: 0.85 } as const;

export interface ComparisonOptions {
  /**
   * Similarity of two texts by meaning, 0..1, if an embedder is configured. Finds paraphrases, but never excuses a
   * contradiction.
   */
  semantic?: (a: string, b: string) => number;
}

/** A claim parsed once, so that each of ten thousand entries is segmented only once. */
export interface ParsedClaim {
  claim: Claim;
  condition: ClaimPolarity;
  situations: readonly Situation[];
  action: ClaimPolarity;
  applicability: Applicability | undefined;
}

export function parseClaim(claim: Claim): ParsedClaim {
  const { condition, action, applicability } = claim;
  return {
    claim,
    condition: polarityOf(condition),
    situations: situationsOf(condition),
    action: polarityOf(action),
    applicability: applicability === undefined ? undefined : readApplicability(applicability),
  };
}

/**
 * Compares a candidate with one existing claim. CONFLICT is symmetric in its arguments. Cheap checks that rule most pairs
 * out come first.
 */
export function compareParsedClaims(
  candidate: ParsedClaim,
  existing: ParsedClaim,
  options: ComparisonOptions = {},
): ClaimComparison {
  const core = comparedByCore(candidate.claim, existing.claim);
  if (core) {
    if (core.relation !== 'apart' && !core.isSameRemedy) return 'CONFLICT';
    if (core.relation === 'covers') return isStronger(candidate.claim, existing.claim) ? 'FULL' : 'PARTIAL';
    // The same once more, with more executions behind it, is nothing to decide.
    return core.relation === 'same' && isSurer(candidate.claim, existing.claim) ? 'FULL' : 'PARTIAL';
  }
  const applicability = compareApplicability(candidate.applicability, existing.applicability);
  if (applicability === 'apart') return 'PARTIAL';
  const { jaccard, containment, meaning } = conditionOverlap(candidate, existing, options);
  const { overlap: close, coverage, same: equal } = SUPERSESSION_THRESHOLDS;
  const isNested = applicability === 'covers' || applicability === 'covered';
  // If one applicability lies within the other, similar words do not make the two the same case.
  const same = applicability === 'same' || (!isNested && (jaccard >= equal || meaning >= close));
  const near = same || isNested || jaccard >= close || containment >= coverage;
  const opposite = near && contradicts(candidate.action, existing.action);
  // A merely different action is no conflict between a rule and its special case, or between two cases: both may stand.
  // An opposite action is a conflict even if one condition is much broader.
  if (!opposite && !same && !mayReplace(candidate, existing, applicability)) return 'PARTIAL';
  // If the applicabilities are nested, ignore the conditions: each quotes its own errors.
  if (!isNested && contradicts(candidate.condition, existing.condition)) return 'PARTIAL';
  if (opposite) return 'CONFLICT';
  const compatible =
    (near || !contradicts(candidate.action, existing.action)) && actionsAgree(candidate, existing, options);
  if (same && !compatible) return 'CONFLICT';
  return compatible && isStronger(candidate.claim, existing.claim) ? 'FULL' : 'PARTIAL';
}

/**
 * Returns whether the existing claim already says what the candidate says: for the same applicability or one that
 * covers it, with the same action. A second claim adds nothing, however confident it is.
 */
export function isSubsumedBy(candidate: ParsedClaim, existing: ParsedClaim): boolean {
  const core = comparedByCore(candidate.claim, existing.claim);
  if (core) return core.isSameRemedy && (core.relation === 'covered' || core.relation === 'same');
  const relation = compareApplicability(candidate.applicability, existing.applicability);
  return (
    (relation === 'covered' || relation === 'same') &&
    !contradicts(candidate.action, existing.action) &&
    actionsAgree(candidate, existing, {})
  );
}

/** How two lessons of the learning core relate; undefined if one is none. In two projects they never meet. */
function comparedByCore(a: Claim, b: Claim): { relation: ClaimRelation; isSameRemedy: boolean } | undefined {
  if (!a.learned || !b.learned) return undefined;
  const relation = isElsewhere(a.binding, b.binding) ? 'apart' : relationOf(a.learned, b.learned);
  return { relation, isSameRemedy: isSameRemedy(a.learned, b.learned) };
}

const isElsewhere = (a: Binding = {}, b: Binding = {}): boolean =>
  (['project', 'harness'] as const).some((key) => a[key] !== undefined && b[key] !== undefined && a[key] !== b[key]);

/** Returns whether confidence and conditions allow the candidate to replace the existing claim. */
function mayReplace(candidate: ParsedClaim, existing: ParsedClaim, applicability: ApplicabilityRelation): boolean {
  if (applicability === 'covered' || !isStronger(candidate.claim, existing.claim)) return false;
  return applicability === 'covers' || generalises(candidate.situations, existing.situations);
}

/** Compares hundredths: of two nearly certain lessons, the one with more evidence is stronger. */
function isStronger(candidate: Claim, existing: Claim): boolean {
  if (isSurer(candidate, existing)) return true;
  return !isSurer(existing, candidate) && (candidate.evidence ?? 0) > (existing.evidence ?? 0);
}

const isSurer = (one: Claim, other: Claim): boolean => hundredths(one.confidence) > hundredths(other.confidence);

const hundredths = (confidence: number): number => Math.round(confidence * 100);

function conditionOverlap(
  candidate: ParsedClaim,
  existing: ParsedClaim,
  { semantic }: ComparisonOptions,
): { jaccard: number; containment: number; meaning: number } {
  const [a, b] = [candidate.condition.words, existing.condition.words];
  const shared = sharedCount(a, b);
  return {
    jaccard: ratio(shared, a.size + b.size - shared),
    containment: ratio(shared, Math.min(a.size, b.size)),
    meaning: semantic?.(candidate.claim.condition, existing.claim.condition) ?? 0,
  };
}

function actionsAgree(candidate: ParsedClaim, existing: ParsedClaim, { semantic }: ComparisonOptions): boolean {
  const remedy = candidate.claim.actionFingerprint;
  if (remedy !== undefined && remedy === existing.claim.actionFingerprint) return true;
  if (isOtherRemedy(candidate.action, existing.action)) return false;
  const [a, b] = withoutOrderWords(candidate.action, existing.action);
  const shared =
    sharedCount(a, b) +
    negatedAntonyms(candidate.action, existing.action) +
    negatedAntonyms(existing.action, candidate.action);
  // Containment: an action that says the same and adds a step agrees. One shared word out of one proves nothing.
  const contained = shared >= 2 ? ratio(shared, Math.min(a.size, b.size)) : 0;
  const meaning = semantic?.(candidate.claim.action, existing.claim.action) ?? 0;
  const words = Math.max(ratio(shared, a.size + b.size - shared), contained >= 0.75 ? contained : 0);
  return Math.max(words, meaning) >= SUPERSESSION_THRESHOLDS.action || candidate.claim.action === existing.claim.action;
}

/**
 * Two answers to one question: both replace the same thing by different ones ("pypy instead of python" and "python3
 * instead of python"), or each names something in code that the other does not. The sentences around do not count.
 */
function isOtherRemedy(a: ClaimPolarity, b: ClaimPolarity): boolean {
  const chosen = a.choices.some((own) =>
    b.choices.some((other) => own.rejected === other.rejected && nothingShared(own.chosen, other.chosen)),
  );
  const named = nothingShared(a.codeTerms.filter(isNotIn(b.codeTerms)), b.codeTerms.filter(isNotIn(a.codeTerms)));
  return chosen || named || oneWordApart([...a.words], [...b.words]);
}

/**
 * "Run npm ci before the build" and "run npm install before the build": the same except for one word, which is not the
 * verb.
 */
function oneWordApart([verb, ...a]: readonly string[], [other, ...b]: readonly string[]): boolean {
  if (verb !== other || a.length !== b.length || a.length < MIN_FRAME_WORDS) return false;
  return a.filter((word, at) => word !== b[at]).length === 1;
}

/** "Take a backup before migrating" and "after a backup, migrate": `contradicts` has already compared the order. */
function withoutOrderWords(a: ClaimPolarity, b: ClaimPolarity): [ReadonlySet<string>, ReadonlySet<string>] {
  if (a.order.size === 0 || b.order.size === 0) return [a.words, b.words];
  const others = (words: ReadonlySet<string>) => new Set([...words].filter((word) => !ORDER_WORDS.has(word)));
  return [others(a.words), others(b.words)];
}

const ORDER_WORDS = new Set(['before', 'after']);
/** With fewer common words, the differing one may be the whole statement. */
const MIN_FRAME_WORDS = 3;

const isNotIn = (others: readonly string[]) => (word: string) => !others.includes(word);

/** Both are non-empty and have nothing in common. */
function nothingShared(a: readonly string[], b: readonly string[]): boolean {
  return a.length > 0 && b.length > 0 && !a.some((word) => b.includes(word));
}

/**
 * "Do not decrease" agrees with "increase": counts how often one text negates the antonym of what the other asks for.
 */
function negatedAntonyms(a: ClaimPolarity, b: ClaimPolarity): number {
  if (a.negated.length === 0) return 0;
  const refused = a.negated.flatMap(([head = '']) => OPPOSITES.get(head) ?? []);
  return new Set(refused.filter((word) => b.asserted.has(word))).size;
}

/**
 * Returns whether two texts cannot both hold: opposite negation, antonyms, different numbers, swapped order, an exchange
 * and its reverse. Symmetric.
 */
export function contradicts(a: ClaimPolarity, b: ClaimPolarity): boolean {
  return (
    rulesOut(a, b) ||
    rulesOut(b, a) ||
    hasAntonyms(a, b) ||
    numbersConflict(a, b) ||
    versionsConflict(a, b) ||
    isOrderSwapped(a, b) ||
    undoEachOther(a.exchanges, b.exchanges)
  );
}

/** Returns whether one text rules out what the other asks for. */
export function rulesOut(a: ClaimPolarity, b: ClaimPolarity): boolean {
  return a.negated.some((scope) => {
    const [head] = scope;
    if (head === undefined || !b.asserted.has(head) || a.asserted.has(head)) return false;
    const hits = scope.filter((word) => b.asserted.has(word)).length;
    return hits / Math.min(scope.length, b.asserted.size) >= 0.5;
  });
}

function hasAntonyms(a: ClaimPolarity, b: ClaimPolarity): boolean {
  return a.antonyms.some(([x, y]) => b.asserted.has(y) && !a.words.has(y) && !b.words.has(x) && !sameOrder(x, y, a, b));
}

/** "x before y" and "after x, y" say the same with opposite words: for these, the order itself is compared. */
function sameOrder(x: string, y: string, a: ClaimPolarity, b: ClaimPolarity): boolean {
  return (x === 'before' || y === 'before') && (x === 'after' || y === 'after') && a.order.size > 0 && b.order.size > 0;
}

function numbersConflict(a: ClaimPolarity, b: ClaimPolarity): boolean {
  if (a.numbers.length === 0 || b.numbers.length === 0) return false;
  if (sharedCount(a.values, b.values) < Math.min(a.values.size, b.values.size)) return true;
  return a.numbers.some(({ of }) => of !== '' && nothingShared(valuesOf(a, of), valuesOf(b, of)));
}

function valuesOf(stance: ClaimPolarity, of: string): string[] {
  return stance.numbers.filter((number) => number.of === of).map((number) => number.value);
}

/** `python2` and `python3`, `v1` and `v2`: the same name with different numbers cannot both hold. */
function versionsConflict(a: ClaimPolarity, b: ClaimPolarity): boolean {
  if (a.versions.size === 0 || b.versions.size === 0) return false;
  for (const [name, word] of a.versions) {
    const other = b.versions.get(name);
    if (other !== undefined && other !== word && !b.words.has(word) && !a.words.has(other)) return true;
  }
  return false;
}

function isOrderSwapped(a: ClaimPolarity, b: ClaimPolarity): boolean {
  for (const pair of a.order) {
    const [x, y] = pair.split('>');
    const reverse = `${y}>${x}`;
    if (b.order.has(reverse) && !b.order.has(pair) && !a.order.has(reverse)) return true;
  }
  return false;
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
