import type { DropReason } from '../examination/drop-reason.js';
import { oneSupport, type SupportLevel, tooLittleSupport } from '../support/support.schema.js';
import type { CycleReport } from './cycles.schema.js';

type NotProposedReason = CycleReport['notProposed'][number]['because'];

/** A newer server may know reasons that this program does not. */
export function notProposedText(because: NotProposedReason, support?: SupportLevel): string {
  return because === 'too_few_agents' ? `overcome ${oneSupport(support)}` : (REASONS[because] ?? because);
}

const REASONS: Readonly<Record<Exclude<NotProposedReason, 'too_few_agents'>, string>> = {
  already_pending: 'already pending',
  over_limit: 'held back for a later cycle',
  subsumed: 'part of another proposal',
  already_approved: 'already approved',
  rejected_before: 'rejected before, without enough new evidence',
  low_confidence: 'below the minimum confidence',
  only_skipped_a_check: 'overcome only by skipping a check',
  no_proven_remedy: 'overcome, but no way is proven to help',
  not_advisable: 'overcome only in ways that may not be advised',
  normal_work: 'what was worked on was corrected, or the call was not needed',
  passing: 'overcome by repeating the call',
  managed: 'the error says how, and every execution did it at once',
  waiting: 'one way worked, and waits for more tries',
  unsolved: 'not overcome in any execution',
};

/** Why a checked candidate became no draft. */
export const DROP_TEXTS: Readonly<Record<DropReason, string>> = {
  refuted: 'it works no better than something else',
  too_few_tries: 'too few executions tried it, or something else',
  no_clear_difference: 'the difference may be chance',
  managed: 'the error says it, and every execution did it at once',
  too_few_agents: 'too little independent support: agents, projects or tasks in which it worked, or owners',
  no_words: 'no call that may be shown teaches it',
  scope: 'its condition matches mostly other failures',
  gate: 'a check of its text refused it',
  merged: 'another candidate teaches the same',
  other_writer: 'what another writer wrote about these failures won',
};

/** The problems of a cycle that it did not propose, by reason, without zeros. */
export function leftOut(report: CycleReport): { readonly n: number; readonly says: string }[] {
  const { support, totals, unsolved, overcome } = report;
  const counts: readonly (readonly [says: string, n: number])[] = [
    [tooLittleSupport(support), report.belowThreshold],
    [REASONS.unsolved, totals?.unsolved ?? unsolved.length],
    ['overcome, without a lesson', overcome.filter(({ because }) => because !== 'passing').length],
    [REASONS.only_skipped_a_check, report.onlySkipped.length],
    [REASONS.passing, report.passing],
    [REASONS.low_confidence, report.lowConfidence],
    [REASONS.already_pending, report.alreadyPending],
    [REASONS.already_approved, report.alreadyApproved],
    [REASONS.subsumed, report.subsumed],
    [REASONS.rejected_before, report.rememberedRejections],
    [REASONS.over_limit, report.heldBack],
    ['without a call that may be shown', report.unwordable],
  ];
  return counts.flatMap(([says, n]) => (n > 0 ? [{ n, says }] : []));
}
