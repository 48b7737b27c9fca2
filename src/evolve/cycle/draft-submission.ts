import type { NewProposal } from '../../approvals/proposals/new-proposal.js';
import type { Evidence } from '../../approvals/proposals/proposed-skill.schema.js';
import type { BacktestResult } from '../drafts/backtest-result.js';
import type { WordedDraft } from '../drafts/draft.js';
import { type Proportion, wilson } from '../statistics/wilson.js';

const ALTERNATIVES_SHOWN = 5;

const rateOf = ({ successes, n, rate, lower, upper }: Proportion): Evidence['repeating'] => ({
  worked: successes,
  n,
  rate,
  low: lower,
  high: upper,
});

/** Returns the evidence of a draft as the reviewer sees it, the chosen alternative first. */
export function reviewEvidenceOf(draft: WordedDraft): Evidence {
  const { evidence, calls, pairs, backtest, wording, lowered, kept } = draft;
  const { counts, chosen, alternatives, repeat } = evidence;
  const others = alternatives.filter(({ action, how }) => action !== chosen.action || how !== chosen.how);
  return {
    agents: counts.agents,
    owners: counts.owners,
    origins: counts.tasks,
    independent: counts.distinctAgents,
    independentOwners: counts.independentOwners,
    executionIds: [...evidence.executionIds],
    executions: counts.executions,
    failures: counts.failures,
    projects: counts.projects,
    days: counts.days,
    callsLost: Math.round(10 * evidence.callsLost) / 10,
    firstSeen: counts.firstSeen,
    lastSeen: counts.lastSeen,
    failing: {
      tool: evidence.tool,
      action: evidence.failingAction,
      errorClass: evidence.errorClasses.join(', '),
      example: evidence.template,
    },
    failureRate: rateOf(wilson(counts.executions, evidence.using)),
    repeating: rateOf(repeat),
    alternatives: [chosen, ...others].slice(0, ALTERNATIVES_SHOWN).map(({ label, outcome, agents, lift }) => ({
      action: label,
      agents,
      lift,
      ...rateOf(outcome),
    })),
    seenBy: counts.seenBy.map(({ name, owner, executions, failures }) => ({
      agent: name,
      owner,
      executions,
      failures,
    })),
    models: counts.models,
    ...(chosen.dangers ? { dangers: chosen.dangers.map((danger) => ({ ...danger })) } : {}),
    calls: { worked: [...calls.worked], failed: [...calls.failed] },
    pairs: [...pairs],
    check: evidence.check,
    // The evidence names one number of each, whatever part of the executions the dossier examined.
    dossier: evidence.dossier && { ...evidence.dossier, agents: counts.agents, origins: counts.tasks },
    backtest: backtestEvidence(backtest),
    wording,
    ...(kept ? { kept } : {}),
    ...(lowered ? { lowered: [...lowered] } : {}),
  };
}

const backtestEvidence = ({ precision, recall, ...counts }: BacktestResult): NonNullable<Evidence['backtest']> => ({
  ...counts,
  precision: precision ? rateOf(precision) : null,
  recall: recall ? rateOf(recall) : null,
});

/**
 * Returns what the evolver submits for a draft. If it would replace several org entries, it replaces the first.
 * `submittedIds`: the proposals of this cycle by the keys of their drafts. A draft that was refused is not among them, and cannot be
 * contradicted.
 */
export function draftSubmission(
  draft: WordedDraft,
  cycleId: string,
  submittedIds: ReadonlyMap<string, string> = new Map(),
): NewProposal {
  const inCycle = draft.conflictsWithDrafts.flatMap((key) => submittedIds.get(key) ?? []);
  const contradicts = [...draft.conflictsWithPending, ...inCycle];
  const isConflict = draft.conflictsWith.length + contradicts.length > 0;
  const { name, ...texts } = draft.text;
  const { predicate, binding, confidence, impact } = draft.evidence;
  return {
    kind: draft.kind === 'conflict' && !isConflict ? 'new_skill' : draft.kind,
    contradicts,
    fingerprint: draft.fingerprint,
    fingerprints: draft.fingerprints,
    actionFingerprint: draft.actionFingerprint,
    applicability: draft.applicability,
    skillName: name,
    proposedSkill: { ...texts, predicate, ...(Object.keys(binding).length > 0 ? { binding } : {}) },
    evidence: reviewEvidenceOf(draft),
    confidence,
    impact: Math.round(impact),
    supersedesId: draft.supersedes[0] ?? draft.conflictsWith[0] ?? null,
    cycleId,
  };
}
