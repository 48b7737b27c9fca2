import type { CycleOutcome } from './cycle.js';
import type { CycleFinding, CycleReport } from './cycles.schema.js';
import type { CycleDraft } from './draft.js';

const UNSOLVED_SHOWN = 50;

/** What became of a draft: an approval item, or the reason why there is none. */
export interface Placement {
  readonly outcome: CycleFinding['outcome'];
  readonly approvalId: string | null;
  readonly reason: string | null;
}

export function findingOf(draft: CycleDraft, placement: Placement): CycleFinding {
  const { counts, chosen } = draft.evidence;
  return {
    title: draft.proposal.title,
    action: draft.proposal.action,
    kind: draft.kind,
    confidence: draft.proposal.confidence,
    agents: counts.distinctAgents,
    owners: counts.owners,
    origins: counts.origins,
    executions: counts.executions,
    failures: counts.failures,
    worked: chosen.outcome.successes,
    tried: chosen.outcome.n,
    ...placement,
  };
}

/** The report of a finished cycle (spec E1): every pattern is in exactly one of its counts. */
export function reportOf(
  outcome: CycleOutcome,
  findings: readonly CycleFinding[],
  facts: { from: Date; to: Date; seconds: number },
): CycleReport {
  return {
    window: { from: facts.from.toISOString(), to: facts.to.toISOString() },
    executionsRead: outcome.executionsRead,
    patterns: outcome.patterns,
    kept: outcome.kept,
    belowThreshold: outcome.belowThreshold,
    lowConfidence: outcome.lowConfidence.length,
    alreadyPending: outcome.alreadyPending.length,
    alreadyApproved: outcome.alreadyApproved.length,
    rememberedRejections: outcome.rememberedRejections.length,
    conflicts: outcome.conflicts,
    supersessions: outcome.supersessions,
    passing: outcome.passing,
    unwordable: outcome.unwordable,
    emitted: findings.filter(({ outcome: result }) => result === 'submitted').length,
    heldBack: outcome.heldBack.length,
    notTeaching: outcome.notTeaching,
    proposals: [...findings],
    unsolved: outcome.unsolved.slice(0, UNSOLVED_SHOWN).map(({ action, errorClass, counts }) => ({
      action,
      errorClass,
      agents: counts.distinctAgents,
      executions: counts.executions,
      failures: counts.failures,
    })),
    seconds: facts.seconds,
    tokens: 0,
  };
}
