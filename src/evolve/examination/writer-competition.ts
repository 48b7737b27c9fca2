import { VERDICTS } from '../../evidence/predicate/check.schema.js';
import { pairOf } from '../../evidence/predicate/check-pair.js';
import { dropReasonOf } from './drop-reason.js';
import { byVerdict, type ExaminedCandidate, type OtherLesson, RULES, teachSame } from './examined-candidate.js';

/** A remedy must have worked for two agents: a reviewer would not accept less. */
const FEWEST_AGENTS = 2;

/** Returns whether a candidate may reach the queue. `minOwners`: the owners for whom it must have worked. */
export const mayBeProposed = ({ check, workedFor }: ExaminedCandidate, minOwners: number): boolean =>
  dropReasonOf(check, []) === null && workedFor.owners >= minOwners && workedFor.agents >= FEWEST_AGENTS;

/**
 * Decides between the writers of one family. Only candidates that may be proposed compete. The better verdict wins; of
 * candidates that teach the same with equal verdicts, the text with a cause, else that of the rules. Candidates of one
 * writer never compete with each other, and equal verdicts about different remedies stand side by side. A loser stays in
 * the list, marked; a winner says what it won against. Earlier marks are forgotten, so that the competition can be
 * repeated without a candidate.
 */
export function withWinners(found: readonly ExaminedCandidate[], minOwners: number): ExaminedCandidate[] {
  const fresh = found.map(({ other: _, lostTo: __, ...one }): ExaminedCandidate => one);
  const lost = new Map<ExaminedCandidate, string>();
  const standing: ExaminedCandidate[] = [];
  // Those that may beat others come first; who has lost beats none.
  for (const one of fresh.filter((candidate) => mayBeProposed(candidate, minOwners)).sort(byStrength)) {
    const winner = standing.find((rival) => beats(rival, one));
    if (winner) lost.set(one, winner.by);
    else standing.push(one);
  }
  return fresh.map((one) => {
    const to = lost.get(one);
    if (to !== undefined) return { ...one, lostTo: to };
    const other = standing.includes(one) ? beatenBy(one, fresh) : undefined;
    return other ? { ...one, other: historyOf(other) } : one;
  });
}

const rankOf = ({ check }: ExaminedCandidate): number => VERDICTS.indexOf(check.verdict);
const hasCause = ({ words }: ExaminedCandidate): boolean => Boolean(words?.cause);

const byStrength = (a: ExaminedCandidate, b: ExaminedCandidate): number =>
  rankOf(a) - rankOf(b) ||
  Number(hasCause(b)) - Number(hasCause(a)) ||
  Number(b.by === RULES) - Number(a.by === RULES) ||
  byVerdict(a, b);

function beats(one: ExaminedCandidate, rival: ExaminedCandidate): boolean {
  if (one.by === rival.by || rankOf(one) > rankOf(rival)) return false;
  return rankOf(one) < rankOf(rival) || (teachSame(one, rival) && byStrength(one, rival) < 0);
}

/** What the other writer has to say: first what teaches the same, then the strongest. */
function beatenBy(one: ExaminedCandidate, all: readonly ExaminedCandidate[]): ExaminedCandidate | undefined {
  const isOther = (rival: ExaminedCandidate): number => Number(!teachSame(one, rival));
  return all.filter((rival) => beats(one, rival)).sort((a, b) => isOther(a) - isOther(b) || byVerdict(a, b))[0];
}

function historyOf({ by, words, label, check }: ExaminedCandidate): OtherLesson {
  return { by, label: words?.title ?? label, verdict: check.verdict, ...pairOf(check) };
}
