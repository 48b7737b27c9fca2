import { type Arm, type Check, pairOf } from '../../src/evidence/predicate/check.schema.js';
import { armsOf } from '../../src/evolve/evidence/arms.js';
import { entrantsOf, figuresOf } from '../../src/evolve/evidence/comparison.js';
import { confidenceOf } from '../../src/evolve/evidence/confidence.js';
import type { RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { type Proportion, wilson } from '../../src/evolve/statistics/wilson.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import type { ExaminedFamily } from './examined.js';

/** What the product says of a candidate that it learned from one half of the origins, and its tries on the other half. */
export interface HeldCandidate {
  readonly key: string;
  readonly check: Check;
  readonly held: { readonly with: Arm; readonly without: Arm };
}

/** Lets the product learn from a half of the origins, drawn with `draw`, and tries its candidates on the other half. */
export function heldCandidates(
  executions: readonly RecordedExecution[],
  draw: number,
  examine: (executions: readonly RecordedExecution[]) => readonly ExaminedFamily[],
): HeldCandidate[] {
  const isLearned = ({ origin }: RecordedExecution): boolean =>
    Number.parseInt(sha256(`calibration ${draw}\n${origin}`).slice(0, 2), 16) < 128;
  const others = executions.filter((one) => !isLearned(one));
  return examine(executions.filter(isLearned))
    .flatMap(({ candidates }) => candidates)
    .flatMap(({ key, check, predicate }) => {
      const [arms] = armsOf(predicate);
      const tried = arms && figuresOf(arms.kind, entrantsOf(arms.over, others));
      return tried ? [{ key, check, held: { with: tried.with, without: tried.without } }] : [];
    });
}

/** The stated confidences from `from` up to `to`, how many candidates state them, their mean, and the share that holds. */
export interface CalibrationBin {
  readonly from: number;
  readonly to: number;
  readonly n: number;
  readonly stated: number;
  readonly holds: Proportion;
}

/** Fewer tries on the other half say nothing. */
const FEWEST = 3;
const BOUNDS = [0, 0.7, 0.8, 0.85, 0.9, 1] as const;

/**
 * Compares what is stated with what holds: the tries that follow a candidate work more often on the other half than what
 * was done otherwise there; where nothing was, in more than half of the executions.
 */
export function calibrationOf(found: readonly HeldCandidate[]): CalibrationBin[] {
  const tried = found
    .filter(({ check, held }) => pairOf(check).with.n > 0 && held.with.n >= FEWEST)
    .map(({ check, held }) => ({ stated: confidenceOf(check), holds: shareOf(held.with) > shareOf(held.without) }));
  return BOUNDS.slice(1).flatMap((to, at) => {
    const from = BOUNDS[at] ?? 0;
    const own = tried.filter(({ stated }) => stated >= from && stated < to);
    const [n, holding] = [own.length, own.filter(({ holds }) => holds).length];
    const stated = own.reduce((sum, one) => sum + one.stated, 0) / n;
    return n === 0 ? [] : [{ from, to, n, stated, holds: wilson(holding, n) }];
  });
}

const shareOf = ({ worked, n }: Arm): number => (n === 0 ? 0.5 : worked / n);
