import type { FamilyAnswer } from '../../src/evidence/answers/family-question.js';
import type { Verdict } from '../../src/evidence/predicate/check.schema.js';
import { predicateCases } from '../../src/evolve/cases/predicate-cases.js';
import { CYCLE_DEFAULTS } from '../../src/evolve/cycle/cycle.js';
import { checkPredicate } from '../../src/evolve/evidence/check.js';
import type { RecordedCall } from '../../src/evolve/evidence/recorded-execution.js';
import { bindingOf } from '../../src/evolve/examination/binding.js';
import { dropReasonOf } from '../../src/evolve/examination/drop-reason.js';
import type { ExaminedCandidate } from '../../src/evolve/examination/examined-candidate.js';
import { mayBeProposed } from '../../src/evolve/examination/writer-competition.js';
import type { LessonWriter, WrittenCandidate } from '../../src/evolve/writers/lesson-writer.js';
import { type ExaminedFamily, strongest } from '../transfer/examined.js';

/** What became of an answer. */
export interface JudgedAnswer {
  /** `no_answer`: the model was asked, and its answer cannot be read. */
  readonly outcome: 'declined' | 'rejected' | 'no_answer' | Verdict;
  /** Why it was declined, rejected, or does not reach the queue; empty if it does. */
  readonly because: string;
  /** What the writer made of it, after the check, without what looks good and is dropped for another reason. */
  readonly counted: readonly ExaminedCandidate[];
  /** The candidates that a reviewer would see, by themselves. */
  readonly queued: readonly ExaminedCandidate[];
}

/**
 * Lets the writer read an answer, and checks what it wrote on the other half of the family, with the verdicts and the drop
 * reasons of the product and without the competition of other candidates. `isClaimed`: the failures it may speak for.
 */
export function judgedAnswer(
  writer: LessonWriter,
  answer: FamilyAnswer,
  of: ExaminedFamily,
  isClaimed: (call: RecordedCall) => boolean,
): JudgedAnswer {
  const none = { counted: [], queued: [] };
  if (answer.answer === null) return { outcome: 'no_answer', because: 'the answer cannot be read', ...none };
  const { learnedFrom, dossier } = answer;
  const { family, isMember, halves } = of;
  const written = writer.write({ family, isMember, executions: halves[learnedFrom], dossier, learnedFrom }, answer);
  if (written.declined)
    return { outcome: 'declined', because: `${written.declined.kind}: ${written.declined.reason}`, ...none };
  if (written.candidates.length === 0) return { outcome: 'rejected', because: rejection(written.rejected), ...none };
  const candidates = written.candidates.map((one) => examined(one, answer, of, isClaimed));
  const reasons = candidates.map((one) => ({ one, reason: reasonOf(one) }));
  const queued = reasons.filter(({ reason }) => reason === null).map(({ one }) => one);
  return {
    outcome: strongest(candidates.map(({ check }) => check.verdict)),
    because: queued.length > 0 ? '' : (reasons.find(({ reason }) => reason !== null)?.reason ?? ''),
    counted: candidates.filter((one) => queued.includes(one) || !looksGood(one)),
    queued,
  };
}

function rejection(rejected: ReturnType<LessonWriter['write']>['rejected']): string {
  const findings = (rejected?.findings ?? []).map(
    ({ gate, part, text, reason }) => `${gate} of ${part}: ${text}: ${reason}`,
  );
  return (
    [...(rejected?.problem === undefined ? [] : [rejected.problem]), ...findings].join('; ') || 'nothing is left of it'
  );
}

const looksGood = ({ check }: ExaminedCandidate): boolean => ['confirmed', 'observed'].includes(check.verdict);

const reasonOf = (one: ExaminedCandidate): string | null =>
  dropReasonOf(one.check, []) ?? (mayBeProposed(one, CYCLE_DEFAULTS.minOwnersForPattern) ? null : 'too_few_agents');

function examined(
  written: WrittenCandidate,
  { learnedFrom }: FamilyAnswer,
  { halves, split }: ExaminedFamily,
  isClaimed: (call: RecordedCall) => boolean,
): ExaminedCandidate {
  const heldOut = learnedFrom === 'a' ? 'b' : 'a';
  const all = [...halves.a, ...halves.b];
  const { predicate, taught } = written;
  const casesOf = predicateCases(predicate, taught);
  const cases = all.flatMap((one) => casesOf(one).filter(({ worked }) => worked !== undefined));
  return {
    ...written,
    check: checkPredicate({ predicate, isFamily: isClaimed, held: halves[heldOut], all, split }),
    binding: bindingOf(written, cases),
    heldOut,
    workedFor: {
      agents: new Set(cases.map(({ agentId }) => agentId)).size,
      owners: new Set(cases.map(({ owner }) => owner)).size,
    },
    dangers: [],
    treated: new Set(cases.flatMap(({ executionId, at }) => (at === undefined ? [] : `${executionId} ${at}`))),
  };
}
