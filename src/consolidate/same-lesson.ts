import type { Binding } from '../evidence/predicate/check.schema.js';
import type { Predicate } from '../evidence/predicate/predicate.schema.js';
import { readApplicability } from '../evolve/claims/applicability.js';
import { type ClaimPolarity, polarityOf } from '../evolve/claims/claim-polarity.js';
import { contradicts, SUPERSESSION_THRESHOLDS } from '../evolve/claims/supersession.js';
import { canonicalJson } from '../platform/base/canonical-json.js';
import { compareText } from '../platform/base/compare-text.js';

/** A live skill as far as it can say the same as another one. */
export interface ApprovedSkill {
  /** The id of the live version in org memory. */
  readonly memoryId: string;
  readonly skillName: string;
  readonly version: number;
  readonly title: string;
  /** The families of failures that it is about. */
  readonly fingerprints: readonly string[];
  /** Tool, action and error that it is about. */
  readonly applicability: string;
  readonly condition: string;
  readonly action: string;
  readonly steps: readonly string[];
  readonly binding?: Binding | undefined;
  readonly predicate?: Predicate | undefined;
  readonly isGate: boolean;
  /** Rules wrote condition, action and steps, so that the predicate says all that they say. */
  readonly isByRules: boolean;
  /** The groups of agents that it was learned from; empty: the whole organisation. */
  readonly audience: readonly { readonly department: string | null; readonly role: string | null }[];
  readonly isConfirmed: boolean;
  readonly agents: number;
  readonly executions: number;
}

/** A skill with what is compared of it, read once. */
export interface ReadSkill {
  readonly skill: ApprovedSkill;
  readonly keys: readonly string[];
  readonly condition: ClaimPolarity;
  readonly action: ClaimPolarity;
  readonly steps: ClaimPolarity;
  readonly code: string;
  readonly place: string;
  readonly audience: string;
  readonly when: string | undefined;
  readonly remedy: string | undefined;
}

export function readSkill(skill: ApprovedSkill): ReadSkill {
  const { predicate, isByRules, audience } = skill;
  const [action, steps] = [polarityOf(skill.action), polarityOf(skill.steps.join('. '))];
  return {
    skill,
    action,
    steps,
    keys: situationKeys(skill),
    condition: polarityOf(skill.condition),
    code: canonicalJson([...new Set([...action.codeTerms, ...steps.codeTerms])].sort(compareText)),
    place: canonicalJson([placeOf(skill.binding), skill.isGate]),
    audience: canonicalJson(audience.map((group) => canonicalJson(group)).sort(compareText)),
    when: isByRules && predicate?.when !== undefined ? canonicalJson(listOf(predicate.when)) : undefined,
    remedy: isByRules ? remedyOf(predicate) : undefined,
  };
}

/**
 * Returns whether two skills say the same: the same remedy for the same failures, at the same place, for agents of the
 * same groups. A skill with a limit, a value, a step or a piece of code that the other one lacks says something else.
 * Symmetric.
 *
 * What rules wrote follows from the predicate, so an equal predicate is an equal claim, and near words are wording. What a
 * person or a model wrote may hold a limit in a single word, so that its words have to be equal, in any order and
 * inflection.
 */
export function isSameLesson(a: ReadSkill, b: ReadSkill): boolean {
  if (a.place !== b.place || !areGroupsCompatible(a, b) || a.code !== b.code) return false;
  if (!a.keys.some((key) => b.keys.includes(key))) return false;
  const texts = [a.condition, a.action, a.steps].map(
    (text, at) => [text, [b.condition, b.action, b.steps][at]] as const,
  );
  if (texts.some(([own, other]) => other === undefined || contradicts(own, other))) return false;
  const least = a.skill.isByRules && b.skill.isByRules ? SUPERSESSION_THRESHOLDS.same : 1;
  const isSameFailure = isEqualClaim(a.when, b.when) || similarity(a.condition, b.condition) >= least;
  const isSameRemedy =
    isEqualClaim(a.remedy, b.remedy) ||
    (similarity(a.action, b.action) >= least && similarity(a.steps, b.steps) >= least);
  return isSameFailure && isSameRemedy;
}

const isEqualClaim = (a: string | undefined, b: string | undefined): boolean => a !== undefined && a === b;

/** A lesson of all groups may stand for one of some; two groups that do not meet have separate reviewers. */
const areGroupsCompatible = (a: ReadSkill, b: ReadSkill): boolean =>
  a.audience === b.audience || a.skill.audience.length === 0 || b.skill.audience.length === 0;

/** The share of common words, 0..1; 1 for two texts without words. */
function similarity({ words: a }: ClaimPolarity, { words: b }: ClaimPolarity): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  const all = a.size + b.size - shared;
  return all === 0 ? 1 : shared / all;
}

/** A missing part does not limit it; the order of facts says nothing. */
function placeOf({ harness, project, environment = [] }: Binding = {}): object {
  const facts = environment.map(({ name, value }) => canonicalJson([name, value])).sort(compareText);
  return { harness: harness ?? null, project: project ?? null, facts };
}

/** What a predicate counts as following the lesson; undefined if it says nothing about it. */
function remedyOf({ follow, attempt, start, execution }: Predicate = {}): string | undefined {
  if (follow === undefined && start === undefined && execution === undefined) return undefined;
  const parts = {
    follow: listOf(follow),
    attempt: listOf(attempt),
    start: start ?? null,
    execution: execution ?? null,
  };
  return canonicalJson(parts);
}

const listOf = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  // Array.isArray does not narrow a readonly array away.
  value === undefined ? [] : Array.isArray(value) ? value : [value as T];

/**
 * What a skill is about: its families of failures, and its action with its error. Two skills without a common key are
 * about different failures, so they are never compared.
 */
function situationKeys({ fingerprints, applicability }: Pick<ApprovedSkill, 'fingerprints' | 'applicability'>) {
  const { text, parts } = readApplicability(applicability);
  const where = parts ? JSON.stringify([parts.tool, parts.action, parts.error]) : text;
  return [...new Set([...fingerprints, `applicability: ${where}`])];
}
