import type { Attribution } from '../../capture/errors/attribution.js';
import { type ExecutionObservations, observe, type StoredExecution } from '../../capture/observations/observation.js';
import { type CycleDraft, draftOf } from '../drafts/draft.js';
import { KnownClaims, type KnownInput, type RejectedFingerprint } from '../drafts/known-claims.js';
import { draftOfSuccess, impactOfSuccess } from '../drafts/success-draft.js';
import type { EvidenceCounts } from '../evidence/evidence.js';
import { betterThanRepeatingEstimator, type ConfidenceEstimator } from '../patterns/confidence.js';
import type { Alternative } from '../patterns/contrast.js';
import { type Pattern, PatternMiner } from '../patterns/pattern.js';
import { type Candidate, selectCandidates } from '../patterns/selection.js';
import type { SuccessPattern } from '../patterns/success.js';
import { TaskOutcomes, type TaskProblem } from '../patterns/task-outcomes.js';
import type { Proportion } from '../statistics/wilson.js';

export interface CycleSettings {
  minAgentsForPattern: number;
  minOwnersForPattern: number;
  /** `minConfidenceForOrgPromotion` of the configuration, 0..1. */
  minConfidence: number;
  maxProposalsPerCycle: number;
  estimator?: ConfidenceEstimator;
}

export const CYCLE_DEFAULTS = {
  minAgentsForPattern: 3,
  minOwnersForPattern: 1,
  minConfidence: 0.8,
  maxProposalsPerCycle: 10,
  /** A rejected proposal comes back only with this many agents more (spec E1.6). */
  agentsToReturn: 3,
} as const;

export interface CycleInput extends KnownInput {
  executions: Iterable<StoredExecution | ExecutionObservations>;
  settings: CycleSettings;
}

export interface CycleOutcome {
  executionsRead: number;
  patterns: number;
  kept: number;
  belowThreshold: number;
  notTeaching: Partial<Record<Attribution, number>>;
  /** To be submitted, the greatest impact first, at most `maxProposalsPerCycle`. */
  drafts: CycleDraft[];
  /** Held back by the cap: shown, and proposed by a later cycle. */
  heldBack: CycleDraft[];
  lowConfidence: CycleDraft[];
  /** Pending items whose evidence is to be refreshed. */
  alreadyPending: { itemId: string; draft: CycleDraft }[];
  /** Special cases of pending items that ask for nothing else: nothing is added to those. */
  toldInPending: { itemId: string; draft: CycleDraft }[];
  /** Say no more than another proposal of this cycle, `by` its fingerprint. */
  toldInDraft: { by: string; draft: CycleDraft }[];
  /** Approved, or a special case of what is. */
  alreadyApproved: { entryId: string; draft: CycleDraft }[];
  rememberedRejections: { reason: string; draft: CycleDraft }[];
  /** Among `drafts` and `heldBack`. */
  conflicts: number;
  supersessions: number;
  /** Patterns whose action cannot be shown without showing somebody's text. */
  unwordable: number;
  /** Patterns that doing the same again overcomes. */
  passing: number;
  unsolved: UnsolvedProblem[];
  /** Checks of single tasks that enough agents failed: told, never proposed. */
  tasks: TaskProblem[];
}

export interface UnsolvedProblem {
  tool: string;
  action: string;
  errorClass: string;
  fingerprint: string;
  counts: EvidenceCounts;
  repeat: Proportion;
  /** What was tried most, with its rate: none was good enough. */
  tried: Alternative[];
}

/**
 * Reads executions one at a time and keeps only aggregates, so that a window can be streamed from a database cursor.
 * Observations made earlier are taken as they are: what was read once need not be parsed again (spec E1.1).
 */
export class CycleReader {
  readonly miner = new PatternMiner();
  readonly tasks = new TaskOutcomes();
  readonly notTeaching: CycleOutcome['notTeaching'] = {};

  /** What it holds already is not counted again. */
  add(execution: StoredExecution | ExecutionObservations): boolean {
    const observed = 'episodes' in execution ? execution : observe(execution);
    const isNew = this.miner.add(observed);
    if (isNew) this.excuse(observed, 1);
    if (isNew) this.tasks.add(observed);
    return isNew;
  }

  holds(executionId: string): boolean {
    return this.miner.ledger.number(executionId) !== undefined;
  }

  /** Its parent came in after it. */
  move({ executionId, support }: ExecutionObservations): void {
    if (this.miner.ledger.move(executionId, support.root)) this.miner.recount();
  }

  rename(agentId: string, name: string, owner: string): void {
    if (!this.miner.ledger.rename(agentId, name, owner)) return;
    this.miner.recount();
    this.tasks.rename(agentId, owner);
  }

  /** The window has moved on: takes back what {@link add} was given, and nothing that it was not. */
  remove(observed: ExecutionObservations): void {
    if (!this.miner.remove(observed)) return;
    this.excuse(observed, -1);
    this.tasks.add(observed, -1);
  }

  private excuse({ notTeaching }: ExecutionObservations, times: 1 | -1): void {
    for (const { cause, calls } of notTeaching) {
      const now = (this.notTeaching[cause] ?? 0) + times * calls;
      if (now > 0) this.notTeaching[cause] = now;
      else delete this.notTeaching[cause];
    }
  }
}

/**
 * One cycle from executions to drafts (spec E1), without clock, database or model: the same input gives the same drafts
 * in the same order, whatever the order of the executions.
 */
export function runCycle(input: CycleInput): CycleOutcome {
  const reader = new CycleReader();
  for (const execution of input.executions) reader.add(execution);
  return concludeCycle(reader, input, input.settings);
}

/** The second half of {@link runCycle}: from what was read to drafts. */
export function concludeCycle(reader: CycleReader, knownInput: KnownInput, settings: CycleSettings): CycleOutcome {
  const estimator = settings.estimator ?? betterThanRepeatingEstimator;
  const selection = selectCandidates(reader.miner.patterns(), { ...settings, estimator });
  const successes = newSuccesses(reader.miner.successes.patterns(settings), selection.candidates);
  const outcome: CycleOutcome = {
    executionsRead: reader.miner.executions,
    patterns: selection.patterns + successes.length,
    kept: selection.kept + successes.length,
    belowThreshold: selection.belowThreshold,
    notTeaching: { ...reader.notTeaching },
    drafts: [],
    heldBack: [],
    lowConfidence: [],
    alreadyPending: [],
    toldInPending: [],
    toldInDraft: [],
    alreadyApproved: [],
    rememberedRejections: [],
    conflicts: 0,
    supersessions: 0,
    unwordable: 0,
    passing: selection.passing,
    unsolved: selection.unsolved.map(unsolvedOf),
    tasks: reader.tasks.problems(settings),
  };
  const known = new KnownClaims(knownInput);
  const names = new Set<string>();
  for (const { make } of inOrder(selection.candidates, successes, estimator))
    place(make(names), known, settings, outcome);
  const proposed = [...outcome.drafts, ...outcome.heldBack];
  outcome.conflicts = proposed.filter(({ kind }) => kind === 'conflict').length;
  outcome.supersessions = proposed.filter(({ kind }) => kind === 'supersede').length;
  return outcome;
}

/** The greatest impact first, whether it is learned from failures or from success. */
function inOrder(
  candidates: readonly Candidate[],
  successes: readonly SuccessPattern[],
  estimator: ConfidenceEstimator,
): { make: (names: Set<string>) => CycleDraft | undefined }[] {
  const all = [
    ...candidates.map((candidate) => ({
      impact: candidate.impact,
      print: candidate.fingerprints[0] ?? '',
      make: (names: Set<string>) => draftOf(candidate, estimator.name, names),
    })),
    ...successes.map((pattern) => ({
      impact: impactOfSuccess(pattern),
      print: pattern.fingerprint,
      make: (names: Set<string>) => draftOfSuccess(pattern, estimator, names),
    })),
  ];
  return all.sort((a, b) => b.impact - a.impact || (a.print < b.print ? -1 : 1));
}

/** What a failure teaches already is not told a second time: `npm install` before `node`, either way. */
function newSuccesses(found: readonly SuccessPattern[], candidates: readonly Candidate[]): SuccessPattern[] {
  const told = (pattern: SuccessPattern): boolean =>
    candidates.some(
      ({ pattern: { tool, coarse }, chosen }) =>
        tool === pattern.tool &&
        coarse === pattern.action &&
        chosen.how === 'prepare' &&
        pattern.before.split(' > ').includes(chosen.action),
    );
  return found.filter((pattern) => !told(pattern));
}

/** To what becomes of it: a proposal, or why it is none. Those of greater impact come before it. */
export function place(
  draft: CycleDraft | undefined,
  known: KnownClaims,
  settings: CycleSettings,
  outcome: CycleOutcome,
): void {
  if (!draft) {
    outcome.unwordable += 1;
    return;
  }
  if (draft.evidence.confidence.value < settings.minConfidence) {
    outcome.lowConfidence.push(draft);
    return;
  }
  const pending = known.pending(draft);
  if (pending) {
    outcome.alreadyPending.push({ itemId: pending, draft });
    return;
  }
  const approved = known.approved(draft);
  if (approved) {
    outcome.alreadyApproved.push({ entryId: approved, draft });
    return;
  }
  const rejections = known.rejections(draft);
  draft.earlierRejections = rejections.map((rejection) => rejection.reason);
  const binding = rejections.find((rejection) => stillHolds(rejection, draft));
  if (binding) {
    outcome.rememberedRejections.push({ reason: binding.reason, draft });
    return;
  }
  const { refreshes, toldInItem, toldInEntry, toldInDraft, covers } = known.compare(draft);
  if (toldInDraft !== undefined) {
    outcome.toldInDraft.push({ by: toldInDraft, draft });
    return;
  }
  if (toldInEntry !== undefined) {
    outcome.alreadyApproved.push({ entryId: toldInEntry, draft });
    return;
  }
  if (toldInItem !== undefined) {
    outcome.toldInPending.push({ itemId: toldInItem, draft });
    return;
  }
  takeBack(covers ?? [], draft, outcome);
  if (refreshes !== undefined) {
    outcome.alreadyPending.push({ itemId: refreshes, draft });
    return;
  }
  known.propose(draft);
  (outcome.drafts.length < settings.maxProposalsPerCycle ? outcome.drafts : outcome.heldBack).push(draft);
}

/** What was about to be proposed, and is no more than a part of what another draft says more surely. */
function takeBack(covered: readonly string[], by: CycleDraft, outcome: CycleOutcome): void {
  for (const list of [outcome.drafts, outcome.heldBack])
    for (const print of covered) {
      const at = list.findIndex(({ fingerprint }) => fingerprint === print);
      for (const draft of at < 0 ? [] : list.splice(at, 1)) outcome.toldInDraft.push({ by: by.fingerprint, draft });
    }
}

/** The same action is asked for again only with materially new evidence; another action may be asked for at once. */
function stillHolds(rejection: RejectedFingerprint, draft: CycleDraft): boolean {
  return (
    rejection.actionFingerprint === draft.actionFingerprint &&
    draft.evidence.counts.distinctAgents < rejection.agents + CYCLE_DEFAULTS.agentsToReturn
  );
}

function unsolvedOf(pattern: Pattern): UnsolvedProblem {
  return {
    tool: pattern.tool,
    action: pattern.action,
    errorClass: pattern.errorClass,
    fingerprint: pattern.fingerprint,
    counts: pattern.counts,
    repeat: pattern.contrast.repeat,
    tried: [...pattern.contrast.alternatives].sort((a, b) => b.outcome.n - a.outcome.n).slice(0, 3),
  };
}

/** The strongest drafts come first; what the queue has no room for waits for a later cycle. */
export function withinRoom(outcome: CycleOutcome, room: number): CycleOutcome {
  const { drafts, heldBack } = outcome;
  return { ...outcome, drafts: drafts.slice(0, room), heldBack: [...drafts.slice(room), ...heldBack] };
}
