import {
  type Applicability,
  type ApplicabilityRelation,
  compareApplicability,
  readApplicability,
} from './applicability.js';
import { generalises, type Situation, situationsOf } from './breadth.js';
import { type ClaimPolarity, OPPOSITES, polarityOf } from './claim-polarity.js';

/** When to do what, and how sure that is. `setting` names the failing action and error where a claim has one. */
export interface Claim {
  condition: string;
  action: string;
  confidence: number;
  /** Executions or agents behind the claim; decides between equal confidences. */
  evidence?: number;
  applicability?: string;
  /** What is asked for, where it was learned from a pattern: equal ones are one remedy, however they are worded. */
  actionFingerprint?: string;
}

export type ClaimComparison = 'CONFLICT' | 'FULL' | 'PARTIAL';

/**
 * Overlap, coverage and action are those of the reference system (spec E2), over content words of any script. `same`
 * is ours: two sentences from one template share most of their words, and the few others say what each is about.
 */
export const SUPERSESSION_THRESHOLDS = { overlap: 0.5, coverage: 0.8, action: 0.5, same: 0.85 } as const;

export interface ComparisonOptions {
  /** Similarity 0..1 of two texts by meaning, where an embedder is set: finds paraphrases, never excuses a contradiction. */
  semantic?: (a: string, b: string) => number;
}

/** A claim read once, so that ten thousand entries are segmented once and compared many times. */
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

/** Verdict on a candidate against one existing entry or proposal (spec E2). CONFLICT is symmetric in its arguments. */
export function compareClaims(candidate: Claim, existing: Claim, options: ComparisonOptions = {}): ClaimComparison {
  return compareParsedClaims(parseClaim(candidate), parseClaim(existing), options);
}

/**
 * {@link compareClaims} on claims that were read before. `shared`: how many words their conditions have in common, where that
 * was counted already. What is cheap and rules most pairs out comes first.
 */
export function compareParsedClaims(
  candidate: ParsedClaim,
  existing: ParsedClaim,
  options: ComparisonOptions = {},
  shared?: number,
): ClaimComparison {
  const applicability = compareApplicability(candidate.applicability, existing.applicability);
  if (applicability === 'apart') return 'PARTIAL';
  const { jaccard, containment, meaning } = conditionOverlap(candidate, existing, options, shared);
  const { overlap: close, coverage, same: equal } = SUPERSESSION_THRESHOLDS;
  const isNested = applicability === 'covers' || applicability === 'covered';
  // Of a broad setting and one within it, like words do not make one case of two.
  const same = applicability === 'same' || (!isNested && (jaccard >= equal || meaning >= close));
  const near = same || isNested || jaccard >= close || containment >= coverage;
  const opposite = near && contradicts(candidate.action, existing.action);
  // Mere difference of action is no conflict between a rule and its special case, or between two cases: they live side
  // by side. The opposite action is one, however much broader the one condition is.
  if (!opposite && !same && !mayReplace(candidate, existing, applicability)) return 'PARTIAL';
  // Where the settings say what lies in what, the conditions do not: each quotes errors of its own.
  if (!isNested && contradicts(candidate.condition, existing.condition)) return 'PARTIAL';
  if (opposite) return 'CONFLICT';
  const compatible =
    (near || !contradicts(candidate.action, existing.action)) && actionsAgree(candidate, existing, options);
  if (same && !compatible) return 'CONFLICT';
  return compatible && isStronger(candidate.claim, existing.claim) ? 'FULL' : 'PARTIAL';
}

/**
 * Whether the existing claim says what the candidate says already, of the same setting or of one that covers it, and both
 * ask for the same. Nothing is gained by telling it a second time, however sure it is.
 */
export function isSubsumedBy(candidate: ParsedClaim, existing: ParsedClaim): boolean {
  const relation = compareApplicability(candidate.applicability, existing.applicability);
  return (
    (relation === 'covered' || relation === 'same') &&
    !contradicts(candidate.action, existing.action) &&
    actionsAgree(candidate, existing, {})
  );
}

/** Whether it may replace the other one as far as certainty and conditions go. */
function mayReplace(candidate: ParsedClaim, existing: ParsedClaim, applicability: ApplicabilityRelation): boolean {
  if (applicability === 'covered' || !isStronger(candidate.claim, existing.claim)) return false;
  return applicability === 'covers' || generalises(candidate.situations, existing.situations);
}

/** In hundredths: of two lessons that are as good as certain, the one with more behind it is the stronger one. */
function isStronger(candidate: Claim, existing: Claim): boolean {
  const [own, its] = [hundredths(candidate.confidence), hundredths(existing.confidence)];
  if (own !== its) return own > its;
  return (candidate.evidence ?? 0) > (existing.evidence ?? 0);
}

const hundredths = (confidence: number): number => Math.round(confidence * 100);

function conditionOverlap(
  candidate: ParsedClaim,
  existing: ParsedClaim,
  { semantic }: ComparisonOptions,
  counted?: number,
): { jaccard: number; containment: number; meaning: number } {
  const [a, b] = [candidate.condition.words, existing.condition.words];
  const shared = counted ?? intersection(a, b);
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
    intersection(a, b) +
    negatedAntonyms(candidate.action, existing.action) +
    negatedAntonyms(existing.action, candidate.action);
  // Containment: an action that says the same and adds a step agrees. One shared word out of one proves nothing.
  const contained = shared >= 2 ? ratio(shared, Math.min(a.size, b.size)) : 0;
  const meaning = semantic?.(candidate.claim.action, existing.claim.action) ?? 0;
  const words = Math.max(ratio(shared, a.size + b.size - shared), contained >= 0.75 ? contained : 0);
  return Math.max(words, meaning) >= SUPERSESSION_THRESHOLDS.action || candidate.claim.action === existing.claim.action;
}

/**
 * Two answers to one question: another thing in the place of the same one ("pypy instead of python" and "python3 instead
 * of python"), or each names by its code something that the other one does not. What is said around that does not count.
 */
function isOtherRemedy(a: ClaimPolarity, b: ClaimPolarity): boolean {
  const chosen = a.choices.some((own) =>
    b.choices.some((other) => own.rejected === other.rejected && nothingShared(own.chosen, other.chosen)),
  );
  const named = nothingShared(a.codeTerms.filter(isNotIn(b.codeTerms)), b.codeTerms.filter(isNotIn(a.codeTerms)));
  return chosen || named || oneWordApart([...a.words], [...b.words]);
}

/** "Run npm ci before the build" and "run npm install before the build": the same but for one thing, and not for what is done with it. */
function oneWordApart([verb, ...a]: readonly string[], [other, ...b]: readonly string[]): boolean {
  if (verb !== other || a.length !== b.length || a.length < MIN_FRAME_WORDS) return false;
  return a.filter((word, at) => word !== b[at]).length === 1;
}

/** "Take a backup before migrating" and "after a backup, migrate": that the order is the same is seen elsewhere. */
function withoutOrderWords(a: ClaimPolarity, b: ClaimPolarity): [ReadonlySet<string>, ReadonlySet<string>] {
  if (a.order.size === 0 || b.order.size === 0) return [a.words, b.words];
  const others = (words: ReadonlySet<string>) => new Set([...words].filter((word) => !ORDER_WORDS.has(word)));
  return [others(a.words), others(b.words)];
}

const ORDER_WORDS = new Set(['before', 'after']);
/** With fewer words around it, the one that differs may be all that is said. */
const MIN_FRAME_WORDS = 3;

const isNotIn = (others: readonly string[]) => (word: string) => !others.includes(word);

/** Both say something, and nothing of it is the same. */
function nothingShared(a: readonly string[], b: readonly string[]): boolean {
  return a.length > 0 && b.length > 0 && !a.some((word) => b.includes(word));
}

/** "Do not decrease" agrees with "increase": how often one text refuses the antonym of what the other asks for. */
function negatedAntonyms(a: ClaimPolarity, b: ClaimPolarity): number {
  if (a.negated.length === 0) return 0;
  const refused = a.negated.flatMap(([head = '']) => OPPOSITES.get(head) ?? []);
  return new Set(refused.filter((word) => b.asserted.has(word))).size;
}

/** Whether two texts cannot both hold: opposite sign, antonyms, differing numbers, swapped order. Symmetric. */
export function contradicts(a: ClaimPolarity, b: ClaimPolarity): boolean {
  return rulesOut(a, b) || rulesOut(b, a) || hasAntonyms(a, b) || numbersDiffer(a, b) || isOrderSwapped(a, b);
}

/** Whether one text rules out what the other one asks for. */
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

/** "x before y" and "after x, y" say the same with opposite words: for these two the order itself is compared. */
function sameOrder(x: string, y: string, a: ClaimPolarity, b: ClaimPolarity): boolean {
  return (x === 'before' || y === 'before') && (x === 'after' || y === 'after') && a.order.size > 0 && b.order.size > 0;
}

function numbersDiffer(a: ClaimPolarity, b: ClaimPolarity): boolean {
  return numbersConflict(a, b) || versionsConflict(a, b);
}

function numbersConflict(a: ClaimPolarity, b: ClaimPolarity): boolean {
  if (a.numbers.length === 0 || b.numbers.length === 0) return false;
  if (intersection(a.values, b.values) < Math.min(a.values.size, b.values.size)) return true;
  return a.numbers.some(({ of }) => of !== '' && disjoint(valuesOf(a, of), valuesOf(b, of)));
}

function valuesOf(stance: ClaimPolarity, of: string): string[] {
  return stance.numbers.filter((number) => number.of === of).map((number) => number.value);
}

function disjoint(a: readonly string[], b: readonly string[]): boolean {
  return b.length > 0 && !a.some((value) => b.includes(value));
}

/** `python2` and `python3`, `v1` and `v2`: the same name with another number in it, and never both. */
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

function intersection(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const word of small) if (large.has(word)) shared += 1;
  return shared;
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
