import { type ComparedDraft, type Draft, draftKey } from '../drafts/draft.js';
import { waysText } from '../examination/family-outcomes.js';
import type { CycleOutcome, OpenProblem } from './cycle.js';
import type { CycleReport, CycleResult } from './cycles.schema.js';

type NotProposed = CycleReport['notProposed'][number];
/** A draft, or the evidence of one that needs no words because it is not proposed. */
type Candidate = Pick<Draft, 'evidence'> & Partial<Pick<ComparedDraft, 'text' | 'lowered'>>;

/** Returns a row for each candidate that is not among the results of its cycle, with the reason. */
export function notProposed(outcome: CycleOutcome, results: readonly CycleResult[]): NotProposed[] {
  const reported = new Set(results.map(({ proposalId }) => proposalId));
  const pending = [
    ...outcome.alreadyPending.filter(({ proposalId }) => !reported.has(proposalId)),
    ...outcome.subsumedByPending,
  ];
  const titles = new Map([...outcome.drafts, ...outcome.heldBack].map((one) => [draftKey(one), one.text.title]));
  return [
    ...pending.map(({ proposalId, draft }) => rowOf(draft, 'already_pending', { proposalId })),
    ...outcome.heldBack.map((draft) => rowOf(draft, 'over_limit')),
    ...outcome.subsumedByDraft.map(({ by, draft }) => rowOf(draft, 'subsumed', { reason: titles.get(by) ?? null })),
    ...outcome.alreadyApproved.map(({ draft }) => rowOf(draft, 'already_approved')),
    ...outcome.rememberedRejections.map(({ draft, reason }) => rowOf(draft, 'rejected_before', { reason })),
    ...outcome.lowConfidence.map((draft) => rowOf(draft, 'low_confidence')),
    ...[...outcome.overcome, ...outcome.onlySkipped, ...outcome.unsolved].map(problemRow),
  ];
}

function rowOf(
  { evidence, text, lowered }: Candidate,
  because: NotProposed['because'],
  { proposalId = null, reason = null }: Partial<Pick<NotProposed, 'proposalId' | 'reason'>> = {},
): NotProposed {
  const { failingAction, errorClasses, counts, chosen, confidence } = evidence;
  return {
    title: text?.title ?? `${failingAction}: ${errorClasses.join(', ')}`,
    because,
    reason,
    proposalId,
    agents: counts.agents,
    failures: counts.failures,
    worked: chosen.outcome.successes,
    tried: chosen.outcome.n,
    confidence,
    ...(lowered ? { lowered: [...lowered] } : {}),
  };
}

function problemRow({ action, errorClass, counts, tried, standing, ways, missing }: OpenProblem): NotProposed {
  return {
    title: `${action}: ${errorClass}`,
    because: standing,
    reason: missing ?? (waysText(ways) || null),
    proposalId: null,
    agents: counts.agents,
    failures: counts.failures,
    worked: tried.worked,
    tried: tried.n,
    confidence: null,
  };
}
