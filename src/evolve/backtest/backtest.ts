import { episodeFingerprints } from '../../capture/observations/fingerprint.js';
import type { Episode, ExecutionObservations, Trial } from '../../capture/observations/observation.js';
import { anyActionOf, usageKey } from '../../capture/observations/usage.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { sumBy } from '../../platform/base/sum.js';
import type { BacktestResult } from '../drafts/backtest-result.js';
import type { Draft, DraftEvidence } from '../drafts/draft.js';
import { Ledger } from '../evidence/ledger.js';
import { PatternEvidence } from '../evidence/pattern-evidence.js';
import { type Alternative, contrastOf, isApproach } from '../patterns/contrast.js';
import { wilson } from '../statistics/wilson.js';

/**
 * `newest`: how many executions are read. If the condition fired in fewer than `minFired`, the result is not
 * conclusive.
 */
export const BACKTEST_SETTINGS = { newest: 10_000, minFired: 5 } as const;

/** One half of the executions: the evidence that it gives alone, and its test of the other half's result. */
interface Half {
  read: number;
  evidence: PatternEvidence;
  supporting: number;
  nearMisses: number;
  missed: number;
}

/** The part of a draft that is tested. */
export interface BacktestSubject extends Pick<Draft, 'fingerprint' | 'fingerprints'> {
  readonly evidence: Pick<
    DraftEvidence,
    'granularity' | 'tool' | 'failingAction' | 'coarse' | 'errorClasses' | 'kind' | 'project'
  > & { readonly chosen: Pick<Alternative, 'how' | 'action' | 'granularity' | 'following' | 'skipsCheck'> };
}

/** An execution that is prepared once for all drafts, since hashing is expensive. */
export interface BacktestExecution {
  observed: ExecutionObservations;
  half: 0 | 1;
  /** The fingerprints of each episode, in the order of the episodes. */
  prints: readonly (readonly string[])[];
}

export function backtestExecutionOf(observed: ExecutionObservations): BacktestExecution {
  const prints = observed.episodes.map((episode) => episodeFingerprints(episode, observed.project));
  return { observed, half: halfOf(observed.support.origin), prints };
}

/**
 * Tests a draft on stored executions. They are divided in two by their origin, so that one task is never on both sides.
 * A half tests the draft if the other half alone would have chosen the same remedy, so that no execution tests what it
 * taught. If neither half alone chooses it, the result says that nothing was tested.
 */
export class Backtest {
  private readonly halves: readonly [Half, Half] = [emptyHalf(), emptyHalf()];
  private readonly fingerprints: ReadonlySet<string>;
  private readonly action: string;
  /** Numbers the agents. */
  private readonly ledger = new Ledger();

  constructor(private readonly draft: BacktestSubject) {
    this.fingerprints = new Set(draft.fingerprints);
    const { granularity, tool, failingAction } = draft.evidence;
    this.action = usageKey(tool, granularity === 'program' ? anyActionOf(failingAction) : failingAction);
  }

  add({ observed, half: side, prints }: BacktestExecution): void {
    const half = this.halves[side];
    const matching = observed.episodes.filter((_, at) => prints[at]?.some((print) => this.fingerprints.has(print)));
    half.read += 1;
    const { agentName, support } = observed;
    const { agentId, owner } = support;
    // One failure is an episode at several granularities; its trials count once.
    for (const [at, episode] of observed.episodes.entries())
      if (prints[at]?.includes(this.draft.fingerprint))
        for (const trial of episode.trials)
          half.evidence.addTrial(trial, this.ledger.agentNumber(agentId, agentName, owner), observed.verified);
    if (matching.length > 0) {
      if (this.isNeeded(matching)) half.supporting += 1;
      else half.nearMisses += 1;
    } else if (this.firesOnUse(observed)) half.nearMisses += 1;
    else if (observed.episodes.some((episode) => this.wouldHaveHelped(episode))) half.missed += 1;
  }

  result(): BacktestResult {
    const [a, b] = this.halves;
    // A lesson with preceding steps: executions without a failure do not show whether the condition fired.
    if (this.draft.evidence.chosen.following !== undefined) return backtestResultOf([], a.read + b.read);
    const tests = [...(this.choosesSameRemedy(a) ? [b] : []), ...(this.choosesSameRemedy(b) ? [a] : [])];
    return backtestResultOf(tests, a.read + b.read);
  }

  /** Returns whether this half alone leads to the same remedy, by the rules of the contrast. */
  private choosesSameRemedy({ evidence }: Half): boolean {
    const { how, action, following, skipsCheck } = this.draft.evidence.chosen;
    const { chosen } = contrastOf(this.draft.evidence.coarse, evidence.trials.values(), undefined, skipsCheck);
    const isSame = chosen?.how === how && chosen.action === action && chosen.following === following;
    return isSame && chosen.skipsCheck === skipsCheck;
  }

  /** A lesson on a kind of error names no action: its condition fires after a failure. */
  private get firesOnFailure(): boolean {
    return this.draft.evidence.granularity === 'kind';
  }

  private firesOnUse({ used, project }: ExecutionObservations): boolean {
    const { project: only } = this.draft.evidence;
    return !this.firesOnFailure && (only === undefined || only === project) && used.includes(this.action);
  }

  private isNeeded(matching: readonly Episode[]): boolean {
    if (!this.firesOnFailure) return true;
    const worked = matching.flatMap(({ trials }) => trials).filter((trial) => trial.worked && !trial.skipsCheck);
    return worked.length === 0 || worked.some(({ how }) => how !== 'repeat');
  }

  private wouldHaveHelped({ granularity, tool, errorClass, kind, trials }: Episode): boolean {
    const { evidence } = this.draft;
    const { chosen } = evidence;
    // A lesson on a kind of error misses this kind in tools that it does not name. For relocations, the other path
    // counts in any tool.
    const alike = this.firesOnFailure
      ? granularity === 'kind' && tool !== evidence.tool && kind === evidence.kind
      : granularity === 'class' && tool === evidence.tool && evidence.errorClasses.includes(errorClass);
    const elsewhere = this.firesOnFailure && chosen.how === 'relocate';
    const same = (trial: Trial): boolean =>
      elsewhere ? trial.how === 'relocate' && !trial.skipsCheck : isApproach(trial, chosen);
    return alike && trials.some((trial) => trial.worked && same(trial));
  }
}

/** Adds up the tested halves; too few results are not conclusive. `read`: all executions read, tested or not. */
export function backtestResultOf(
  tests: readonly Pick<Half, 'read' | 'supporting' | 'nearMisses' | 'missed'>[],
  read: number,
): BacktestResult {
  const sum = (of: 'read' | 'supporting' | 'nearMisses' | 'missed') => sumBy(tests, (half) => half[of]);
  const [supporting, nearMisses, missed] = [sum('supporting'), sum('nearMisses'), sum('missed')];
  const fired = supporting + nearMisses;
  const enough = fired >= BACKTEST_SETTINGS.minFired;
  return {
    verdict: enough ? 'tested' : 'not_enough_evidence',
    tested: sum('read'),
    read,
    supporting,
    nearMisses,
    missed,
    precision: enough ? wilson(supporting, fired) : undefined,
    recall: enough && supporting + missed > 0 ? wilson(supporting, supporting + missed) : undefined,
  };
}

const emptyHalf = (): Half => ({ read: 0, evidence: new PatternEvidence(), supporting: 0, nearMisses: 0, missed: 0 });

/** Hashes the origin, since the author of a task may choose it. */
const halfOf = (origin: string): 0 | 1 =>
  Number.parseInt(sha256(`backtest ${origin}`).slice(-1), 16) % 2 === 0 ? 0 : 1;
