import type { UsedDanger } from '../../capture/observations/trial.js';
import { VERDICTS } from '../../evidence/predicate/check.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { sharedCount } from '../../platform/base/sum.js';
import type { ClaimCase } from '../cases/claim-cases.js';
import type { CheckedCandidate } from '../evidence/candidate.js';

/** A candidate with its check, and which half of the executions was held out; undefined if none was. */
export interface ExaminedCandidate extends CheckedCandidate {
  readonly heldOut?: 'a' | 'b';
  /** What each half taught of it, which the other half tested. */
  readonly ofHalves?: { readonly a: Predicate; readonly b: Predicate } | undefined;
  /** Agents and owners of the executions in which it worked. */
  readonly workedFor: { readonly agents: number; readonly owners: number };
  /** What shows it, if it may be proposed. */
  readonly cases?: readonly ClaimCase[];
  readonly dangers: readonly UsedDanger[];
  /** The keys of private lessons about what worked. */
  readonly remedyKeys?: readonly string[];
  /** The calls that did what it says and worked: the id of the execution with the place of the call. */
  readonly treated: ReadonlySet<string>;
  /** Agents do at once what the error says, and nothing shows that the lesson prevents it. */
  readonly isManaged?: true;
  /** It got past the failure only by skipping a check. */
  readonly skipsCheck?: true;
}

/** Executions whose cases are kept of a candidate. */
export const SHOWING = 60;

/** The agents and owners of cases. */
export const agentsOf = (
  cases: readonly { readonly agentId: string; readonly owner: string }[],
): ExaminedCandidate['workedFor'] => ({
  agents: new Set(cases.map(({ agentId }) => agentId)).size,
  owners: new Set(cases.map(({ owner }) => owner)).size,
});

/**
 * One candidate for each key, and for the same treated calls: the one whose check says most. A refutation on executions
 * that a candidate was not learned from outweighs all that was seen elsewhere.
 */
export function bestOfEach(found: readonly ExaminedCandidate[]): ExaminedCandidate[] {
  const refuted = found.filter(({ check }) => check.verdict === 'refuted');
  const isRefuted = (one: ExaminedCandidate): boolean => refuted.some((other) => refutes(other, one));
  const best: ExaminedCandidate[] = [];
  for (const one of [...found].sort(byVerdict)) {
    if (one.check.verdict !== 'refuted' && isRefuted(one)) continue;
    if (!best.some((better) => teachSame(better, one))) best.push(one);
  }
  return best;
}

/** Returns whether a refuted candidate takes another one with it; of a confirmed one only what has its key. */
const refutes = (refuted: ExaminedCandidate, one: ExaminedCandidate): boolean =>
  refuted.key === one.key || (one.check.verdict !== 'confirmed' && teachSame(refuted, one));

/** Returns whether candidates of one family say the same: by their key, or by the calls in which they worked. */
const teachSame = (a: ExaminedCandidate, b: ExaminedCandidate): boolean =>
  a.key === b.key ||
  sharedCount(a.treated, b.treated) >= SAME_CALLS * Math.max(1, Math.min(a.treated.size, b.treated.size));

/** Candidates that share this part of the treated calls of either say the same. */
const SAME_CALLS = 0.6;

/** A held-out check before one on all executions, then by verdict and the number of tries. */
function byVerdict(a: ExaminedCandidate, b: ExaminedCandidate): number {
  const rank = ({ check }: ExaminedCandidate): number => VERDICTS.indexOf(check.verdict);
  const tries = ({ check }: ExaminedCandidate): number => check.seen.with.n;
  return (
    rank(a) - rank(b) ||
    Number(a.heldOut === undefined) - Number(b.heldOut === undefined) ||
    Number(a.ofHalves === undefined) - Number(b.ofHalves === undefined) ||
    tries(b) - tries(a) ||
    compareText(`${a.key} ${a.heldOut ?? ''}`, `${b.key} ${b.heldOut ?? ''}`)
  );
}
