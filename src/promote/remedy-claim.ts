import {
  actionFingerprint,
  classFingerprint,
  episodeFingerprint,
  featureKey,
  patternKey,
  remedyFingerprint,
} from '../capture/observations/fingerprint.js';
import type { Episode, ExecutionObservations, Trial } from '../capture/observations/observation.js';
import { type ResolvedFailure, resolvedFailures } from '../capture/observations/resolved-failures.js';
import type { ToolCall } from '../capture/report/execution-report.schema.js';
import type { Case } from '../learning/recoveries/case.js';
import type { Outcome } from '../learning/recoveries/own-remedy.js';
import { isStep } from '../learning/recoveries/refused-remedy.js';
import type { EvidenceStance } from '../memory/provenance/evidence.schema.js';
import type { Lesson } from '../memory/store/lesson.schema.js';

/** The part of a lesson that other executions can confirm or refute: this remedy overcomes this failure. */
export interface RemedyClaim {
  readonly tool: string;
  /** The failing action and the class of its error, as in an episode. */
  readonly failing: string;
  readonly errorClass: string;
  /** The features of a try that takes the remedy, as `featureKey` returns them. */
  readonly features: readonly string[];
  /** Finds approved skills for the same failure. */
  readonly fingerprint: string;
  /** Finds approved skills with the same remedy. */
  readonly actions: readonly string[];
  /** Finds executions in which the failure occurred. */
  readonly patternKey: string;
}

export interface LessonClaims {
  readonly claims: readonly RemedyClaim[];
  /**
   * True if the claims are all that the lesson says, because rules wrote it from them. A model or an agent may write
   * more than a remedy, which no tool result can confirm.
   */
  readonly whole: boolean;
}

const BY_RULES = /^rules\//;
/** A lesson of a model may name several remedies of its execution. */
const MAX_CLAIMS = 3;
/** The rules begin with the failing action, and clip a long one. */
const NAMED_CHARACTERS = 50;

/** A lesson, and the calls of the execution that taught it. */
export interface TaughtLesson {
  readonly lesson: Lesson;
  readonly proposer: string;
  readonly calls: readonly ToolCall[];
}

/** Returns the claims of a lesson, read from the calls of the execution that taught it. */
export function remedyClaimsOf({ lesson, proposer, calls }: TaughtLesson): LessonClaims {
  const overcome = overcomeFailures(calls);
  if (!BY_RULES.test(proposer)) {
    const named = overcome.filter((one) => mentions(lesson, one)).slice(0, MAX_CLAIMS);
    return { claims: named.map(remedyClaimOf), whole: false };
  }
  // The rules write about one overcome failure. Without one, they claim no remedy.
  const subject = lesson.example?.worked === null ? undefined : overcome.find((one) => isSubject(lesson, one));
  return subject ? { claims: [remedyClaimOf(subject)], whole: true } : { claims: [], whole: false };
}

interface OvercomeFailure extends ResolvedFailure {
  readonly outcome: Outcome & { readonly kind: 'overcome' };
  readonly failures: number;
}

/** The failures that the execution overcame, the most frequent first; of the same failure the first. */
function overcomeFailures(toolCalls: readonly ToolCall[]): OvercomeFailure[] {
  return [...resolvedFailures(toolCalls).values()]
    .flatMap((failures) => {
      const { outcome, ...first } = failures.find((one) => one.outcome.kind === 'overcome') ?? failures[0];
      return outcome.kind === 'overcome' ? [{ ...first, outcome, failures: failures.length }] : [];
    })
    .sort((a, b) => b.failures - a.failures);
}

/** Returns whether the rules wrote the lesson about this failure: they begin with its action, and tag its error. */
function isSubject({ discovery, tags }: Lesson, { call }: OvercomeFailure): boolean {
  const named = `${call.failing.coarse.replaceAll('[path]/', '')} fails with`.slice(0, NAMED_CHARACTERS);
  return discovery.startsWith(named) && tags.includes(call.errorClass.slice(0, 60));
}

function remedyClaimOf({ call, outcome }: OvercomeFailure): RemedyClaim {
  const { errorClass, failing, template } = call;
  const { tool, coarse } = failing;
  return {
    tool,
    failing: coarse,
    errorClass,
    features: featuresOf(outcome).map(featureKey),
    fingerprint: episodeFingerprint({ tool, coarse, errorClass, template }),
    actions: [remedyFingerprint(outcome.key), ...proposedActions(outcome)],
    patternKey: patternKey(classFingerprint({ tool, coarse, errorClass })),
  };
}

/** The features that the key of a remedy names; a step that looked like a change is known by the whole key alone. */
function featuresOf({ key, taken }: OvercomeFailure['outcome']): string[] {
  if (isStep(key)) return [key];
  const named = new Set(key.split(' '));
  const features = [...taken.features].filter((feature) => !isStep(feature) && named.has(feature));
  return features.length > 0 ? features : [key];
}

/** The fingerprints that the evolver gives to proposals of this remedy, with and without the words that it leaves out. */
function proposedActions(outcome: OvercomeFailure['outcome']): string[] {
  const { key, taken } = outcome;
  if (isStep(key)) return [actionFingerprint('prepare', key.slice('step '.length).replaceAll(/⟨\w⟩/g, '').trim())];
  const literal = featuresOf(outcome).filter((feature) => !feature.includes('⟨'));
  const [added, dropped] = ['+', '-'].map((sign) =>
    literal.filter((feature) => feature.startsWith(sign)).map((feature) => feature.slice(1)),
  );
  const { tokens } = taken.call;
  const to = (added ?? []).sort((a, b) => tokens.indexOf(a) - tokens.indexOf(b));
  const without = (dropped ?? []).map((name) => `without ${name}`);
  const how = to.length > 0 ? 'replace' : 'omit';
  return [[...to, ...without], to].flatMap((words) =>
    words.length > 0 ? actionFingerprint(how, words.join(' ')) : [],
  );
}

/** Returns whether the lesson contains all words of the failing action and of the remedy. */
function mentions({ discovery, activation, steps }: Lesson, { call, of, outcome }: OvercomeFailure): boolean {
  const words = new Set(wordsIn([discovery, activation.condition, activation.action, ...steps].join(' ')));
  const remedy = namesOf(of, outcome).flatMap(wordsIn);
  return remedy.length > 0 && [...wordsIn(call.failing.coarse), ...remedy].every((word) => words.has(word));
}

const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_.+/-]+/u)
    .map((word) => word.replace(/^[.]+|[.]+$/g, ''))
    .filter((word) => word !== '');

/** The words of the step, or those that the call that worked has or leaves out. */
function namesOf({ failed }: Case, { key, taken }: OvercomeFailure['outcome']): readonly string[] {
  if (isStep(key)) return taken.steps.get(key)?.tokens ?? [];
  const added = taken.call.tokens.filter((token) => !failed.tokens.includes(token));
  return added.length > 0 ? added : failed.tokens.filter((token) => !taken.call.tokens.includes(token));
}

/**
 * Returns what another execution shows about the claims: whether the remedy worked every time, or never; `unsure` if it
 * worked only sometimes. Undefined if one of the remedies was not tried.
 */
export function stanceFrom(
  claims: readonly RemedyClaim[],
  { episodes }: ExecutionObservations,
): EvidenceStance | undefined {
  const outcomes = claims.map((claim) => {
    const tried = episodes
      .filter((episode) => isAbout(claim, episode))
      .flatMap(({ trials }) => trials.filter((trial) => isRemedy(claim, trial)));
    if (tried.length === 0) return undefined;
    if (tried.every(({ worked }) => worked)) return 'supports';
    return tried.some(({ worked }) => worked) ? 'unsure' : 'contradicts';
  });
  if (outcomes.length === 0) return undefined;
  if (outcomes.includes('contradicts')) return 'contradicts';
  if (outcomes.includes(undefined)) return undefined;
  return outcomes.includes('unsure') ? 'unsure' : 'supports';
}

function isAbout(claim: RemedyClaim, { tool, coarse, errorClass }: Episode): boolean {
  return tool === claim.tool && coarse === claim.failing && errorClass === claim.errorClass;
}

const isRemedy = (claim: RemedyClaim, { features, skipsCheck }: Trial): boolean =>
  skipsCheck !== true && claim.features.every((one) => features.includes(one));
