import { actionFingerprint, episodeFingerprint, patternKey } from '../capture/observations/fingerprint.js';
import type { Episode, ExecutionObservations, Trial } from '../capture/observations/observation.js';
import type { ApproachKind } from '../capture/observations/trial.js';
import type { EvidenceStance } from '../memory/provenance/evidence.schema.js';
import type { Lesson } from '../memory/store/lesson.schema.js';

/** What a lesson says that other executions can show to be right or wrong: this failure is overcome in this way. */
export interface RemedyClaim {
  readonly tool: string;
  /** The failing action and its error, as in an episode of the granularity `class`. */
  readonly failing: string;
  readonly errorClass: string;
  readonly how: ApproachKind;
  /** The action that got over it, coarse. */
  readonly remedy: string;
  /** By which an approved skill answers for the same failure. */
  readonly fingerprint: string;
  /** By which it proposes the same against it. */
  readonly actions: readonly string[];
  /** By which executions remember that the failure occurred. */
  readonly patternKey: string;
}

export interface LessonClaims {
  readonly claims: readonly RemedyClaim[];
  /**
   * True where they are all that the lesson says, since rules wrote it from them. What a model or an agent wrote may say
   * more than its remedy, and nothing that a tool does shows the rest to be right.
   */
  readonly whole: boolean;
}

const BY_RULES = /^rules\//;
/** A lesson is about the failure that its execution got over; of one that a model wrote, about some of them. */
const MAX_CLAIMS = 3;
/** The rules quote the failing action, and clip it where it is long. */
const QUOTED_CHARACTERS = 100;

/** The claims of a lesson, from what was observed in the execution that it was learned from. */
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
  // The rules write of the first one, and where nothing was overcome they claim no remedy.
  const [first] = overcome;
  if (first === undefined || !lesson.discovery.includes(`'${first.episode.fine}`.slice(0, QUOTED_CHARACTERS)))
    return { claims: [], whole: false };
  return { claims: [remedyClaimOf(first)], whole: true };
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
    fingerprint,
    actions: [actionFingerprint(trial.how, trial.coarse), actionFingerprint(trial.how, trial.fine)],
    patternKey: patternKey(fingerprint),
  };
}

/** Both what failed and what got over it stand in the lesson, as words. */
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
 * What another execution shows of the claims: that their remedy worked wherever it was tried, or did not; undefined where
 * it did not try one of them. What works at one time and not at another shows nothing.
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

function isAbout(claim: RemedyClaim, { granularity, tool, coarse, errorClass }: Episode): boolean {
  return granularity === 'class' && tool === claim.tool && coarse === claim.failing && errorClass === claim.errorClass;
}

function isRemedy({ how, remedy }: RemedyClaim, trial: Trial): boolean {
  return trial.how === how && trial.coarse === remedy;
}
