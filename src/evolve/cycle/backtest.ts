import { episodeFingerprints, featureKey } from '../../capture/observations/fingerprint.js';
import type { Episode, ExecutionObservations } from '../../capture/observations/observation.js';
import { usageKey } from '../../capture/observations/usage.js';
import type { BacktestResult } from '../drafts/backtest-result.js';
import type { Draft, DraftEvidence } from '../drafts/draft.js';
import { halfOf } from '../evidence/halves.js';
import { wilson } from '../statistics/wilson.js';

/**
 * `newest`: how many executions are read. If the condition fired in fewer than `minFired`, the result is not
 * conclusive.
 */
export const BACKTEST_SETTINGS = { newest: 10_000, minFired: 5 } as const;

interface Tally {
  read: number;
  supporting: number;
  nearMisses: number;
  missed: number;
}

/** The part of a draft that is tested. */
interface BacktestSubject extends Pick<Draft, 'fingerprints'> {
  readonly evidence: Pick<DraftEvidence, 'tool' | 'failingAction' | 'errorClasses' | 'predicate' | 'heldOut'>;
}

/** An execution that is prepared once for all drafts, since hashing is expensive. */
interface BacktestExecution {
  readonly observed: ExecutionObservations;
  readonly half: 'a' | 'b';
  /** The fingerprints of each episode, in the order of the episodes. */
  readonly prints: readonly (readonly string[])[];
}

export function backtestExecutionOf(observed: ExecutionObservations): BacktestExecution {
  const prints = observed.episodes.map((episode) => episodeFingerprints(episode, observed.project));
  return { observed, half: halfOf(observed.support.origin), prints };
}

/**
 * Tests the condition of a draft on stored executions of the half that it was not learned from, so that no execution
 * tests what it taught. A draft that was learned from all is not tested.
 */
export class Backtest {
  private readonly tally: Tally = { read: 0, supporting: 0, nearMisses: 0, missed: 0 };
  private readonly fingerprints: ReadonlySet<string>;
  private readonly action: string;
  /** The feature of a try that takes the remedy. */
  private readonly remedy: string | undefined;
  private read = 0;

  constructor(private readonly draft: BacktestSubject) {
    this.fingerprints = new Set(draft.fingerprints);
    this.action = usageKey(draft.evidence.tool, draft.evidence.failingAction);
    const { learned } = draft.evidence.predicate;
    this.remedy = learned && featureKey(learned.key);
  }

  add({ observed, half, prints }: BacktestExecution): void {
    this.read += 1;
    if (half !== this.draft.evidence.heldOut || this.remedy === undefined) return;
    this.tally.read += 1;
    if (prints.some((own) => own.some((print) => this.fingerprints.has(print)))) this.tally.supporting += 1;
    else if (observed.used.includes(this.action)) this.tally.nearMisses += 1;
    else if (observed.episodes.some((episode) => this.wouldHaveHelped(episode))) this.tally.missed += 1;
  }

  result(): BacktestResult {
    return backtestResultOf(this.tally, this.read);
  }

  /** Another action failed with the same error, and what the lesson says overcame it. */
  private wouldHaveHelped({ tool, errorClass, trials }: Episode): boolean {
    const { evidence } = this.draft;
    if (tool !== evidence.tool || !evidence.errorClasses.includes(errorClass)) return false;
    const { remedy = '' } = this;
    return trials.some(({ worked, skipsCheck, features }) => worked && !skipsCheck && features.includes(remedy));
  }
}

/** `read`: all executions read, tested or not. Too few results are not conclusive. */
export function backtestResultOf(tested: Tally, read: number): BacktestResult {
  const { supporting, nearMisses, missed } = tested;
  const fired = supporting + nearMisses;
  const enough = fired >= BACKTEST_SETTINGS.minFired;
  return {
    verdict: enough ? 'tested' : 'not_enough_evidence',
    tested: tested.read,
    read,
    supporting,
    nearMisses,
    missed,
    precision: enough ? wilson(supporting, fired) : undefined,
    recall: enough && supporting + missed > 0 ? wilson(supporting, supporting + missed) : undefined,
  };
}
