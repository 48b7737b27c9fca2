import { actionFingerprint, episodeFingerprint, patternKey } from '../capture/observations/fingerprint.js';
import type { Episode, ExecutionObservations, Trial } from '../capture/observations/observation.js';
import type { ApproachKind } from '../capture/observations/trial.js';
import type { EvidenceStance } from '../memory/provenance/evidence.schema.js';
import type { Lesson } from '../memory/store/lesson.schema.js';

/** The part of a lesson that other executions can confirm or refute: this remedy overcomes this failure. */
export interface RemedyClaim {
  readonly tool: string;
  /** The failing action and its error, as in an episode of the granularity `class`. */
  readonly failing: string;
  readonly errorClass: string;
  readonly how: ApproachKind;
  /** The action that overcame the failure, in its coarse form. */
  readonly remedy: string;
  /** The same with its flags and operands, as the lesson names it. */
  readonly exactRemedy: string;
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

/** Returns the claims of a lesson, read from the execution that taught it. */
export function remedyClaimsOf(lesson: Lesson, proposer: string, observed: ExecutionObservations): LessonClaims {
  const overcome = observed.episodes
    .filter(({ granularity }) => granularity === 'class')
    .flatMap((episode) => {
      const trial = episode.trials.find(({ worked, how }) => worked && how !== 'repeat');
      return trial ? [{ episode, trial }] : [];
    })
    .sort((a, b) => b.episode.failures - a.episode.failures);
  if (!BY_RULES.test(proposer)) {
    const named = overcome.filter((one) => mentions(lesson, one)).slice(0, MAX_CLAIMS);
    return { claims: named.map(remedyClaimOf), whole: false };
  }
  // The rules write about one overcome failure. Without one, they claim no remedy.
  const subject = lesson.example?.worked === null ? undefined : overcome.find((one) => isSubject(lesson, one));
  return subject ? { claims: [remedyClaimOf(subject)], whole: true } : { claims: [], whole: false };
}

/** Returns whether the rules wrote the lesson about this failure: they begin with its action, and tag its error. */
function isSubject({ discovery, tags }: Lesson, { episode }: OvercomeFailure): boolean {
  const named = `${episode.coarse} fails with`.slice(0, NAMED_CHARACTERS);
  return discovery.startsWith(named) && tags.includes(episode.errorClass.slice(0, 60));
}

interface OvercomeFailure {
  readonly episode: Episode;
  readonly trial: Trial;
}

function remedyClaimOf({ episode, trial }: OvercomeFailure): RemedyClaim {
  const fingerprint = episodeFingerprint(episode);
  return {
    tool: episode.tool,
    failing: episode.coarse,
    errorClass: episode.errorClass,
    how: trial.how,
    remedy: trial.coarse,
    exactRemedy: trial.fine,
    fingerprint,
    actions: [actionFingerprint(trial.how, trial.coarse), actionFingerprint(trial.how, trial.fine)],
    patternKey: patternKey(fingerprint),
  };
}

/** Returns whether the lesson contains all words of the failing action and of the remedy. */
function mentions({ discovery, activation, steps }: Lesson, { episode, trial }: OvercomeFailure): boolean {
  const words = new Set(
    [discovery, activation.condition, activation.action, ...steps]
      .join(' ')
      .toLowerCase()
      .split(/[^\p{L}\p{N}_.+/-]+/u)
      .map((word) => word.replace(/^[.]+|[.]+$/g, '')),
  );
  const standsThere = (action: string): boolean =>
    action
      .toLowerCase()
      .split(' ')
      .every((word) => words.has(word));
  return standsThere(episode.coarse) && standsThere(trial.coarse);
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

/**
 * Returns whether the execution tried every remedy with the flags that the lesson names. Otherwise a flag that one
 * agent added would be verified by executions without it.
 */
export function triedExactly(claims: readonly RemedyClaim[], { episodes }: ExecutionObservations): boolean {
  return claims.every((claim) =>
    episodes.some(
      (episode) =>
        isAbout(claim, episode) &&
        episode.trials.some((trial) => isRemedy(claim, trial) && trial.worked && trial.fine === claim.exactRemedy),
    ),
  );
}

function isAbout(claim: RemedyClaim, { granularity, tool, coarse, errorClass }: Episode): boolean {
  return granularity === 'class' && tool === claim.tool && coarse === claim.failing && errorClass === claim.errorClass;
}

function isRemedy({ how, remedy }: RemedyClaim, trial: Trial): boolean {
  return trial.how === how && trial.coarse === remedy;
}
