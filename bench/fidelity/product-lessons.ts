import { renderArtifact } from '../../src/approvals/proposals/artifact.js';
import { sanitizeProposal } from '../../src/approvals/proposals/new-proposal.js';
import { captureStrategy } from '../../src/capture/analysis/capture.strategy.js';
import { analysisPayload } from '../../src/capture/analysis/payload.js';
import { episodeFingerprints, featureKey, remedyFingerprint } from '../../src/capture/observations/fingerprint.js';
import { learningCalls } from '../../src/capture/observations/learning-calls.js';
import { type ExecutionObservations, parsedCalls, type Trial } from '../../src/capture/observations/observation.js';
import type { Obstacle } from '../../src/capture/observations/obstacle.schema.js';
import { obstaclesOf } from '../../src/capture/observations/obstacles.js';
import { observeForStorage } from '../../src/capture/store/stored-observations.js';
import { Backtest } from '../../src/evolve/cycle/backtest.js';
import { draftSubmission } from '../../src/evolve/cycle/draft-submission.js';
import type { ComparedDraft } from '../../src/evolve/drafts/draft.js';
import { casesOf } from '../../src/learning/recoveries/case.js';
import { outcomeOf } from '../../src/learning/recoveries/own-remedy.js';
import { Lesson } from '../../src/memory/store/lesson.schema.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { subjectOf } from '../../src/propose/lessons/lesson-subject.js';
import { RulesProposer } from '../../src/propose/lessons/rules.proposer.js';
import { generalOf, redactDeep } from '../../src/untrusted/redaction/redact-deep.js';
import { CYCLE_DEFAULTS, runCycle } from '../../test/support/cycles.js';
import type { SetExecution } from '../sets/set-reader.js';
import type { LessonUnderTest } from './judge.js';
import type { JudgedLesson } from './lesson-spans.js';
import type { CallPair } from './lost-values.js';

/** An execution with what the product observed in it. */
export interface ObservedExecution extends SetExecution {
  readonly observed: ExecutionObservations;
}

/** Observes an execution as the product stores it. */
export function observeStored(read: SetExecution): ObservedExecution {
  const { execution } = read;
  const { id, agentName, agentId, owner, origin, rootExecutionKey: root } = execution;
  const { body } = observeForStorage(execution);
  return { ...read, observed: { ...body, executionId: id, agentName, support: { agentId, owner, origin, root } } };
}

/** Runs one cycle with default settings, and returns the proposals as a reviewer sees them, with those held back. */
export function proposalsOf(executions: readonly ObservedExecution[]): LessonUnderTest[] {
  const outcome = runCycle({
    executions: executions.map(({ execution }) => execution),
    orgEntries: [],
    pendingProposals: [],
    rejectedFingerprints: [],
    settings: CYCLE_DEFAULTS,
  });
  return [...outcome.drafts, ...outcome.heldBack].map((draft) => ({
    lesson: judgedProposal(draft),
    tool: draft.evidence.tool,
    family: `${draft.evidence.failingAction}, ${draft.evidence.errorClasses.join(', ')}`,
    pairs: pairsOfDraft(draft, executions),
  }));
}

/** A draft as a reviewer sees it. */
export function judgedProposal(draft: ComparedDraft): JudgedLesson {
  const worded = {
    ...draft,
    // Executions of a set have no ids of a server.
    evidence: { ...draft.evidence, executionIds: [] },
    pairs: [],
    backtest: new Backtest(draft).result(),
    wording: { by: 'rules', words: null, reason: null },
  };
  const submission = draftSubmission(worded, 'cycle');
  const { proposedSkill, evidence } = sanitizeProposal(submission);
  const identity = { proposalId: '00000000-0000-4000-8000-000000000000', skillName: submission.skillName, version: 1 };
  const { title, discovery, condition, action, rationale, steps, gotchas, cause, example } = proposedSkill;
  return {
    kind: 'proposal',
    title,
    parts: [
      ...[title, discovery, action, ...steps].map((text) => ({ text, recommends: true })),
      ...[condition, rationale, cause ?? '', ...gotchas].map((text) => ({ text, recommends: false })),
    ],
    example,
    file: renderArtifact(identity, proposedSkill, evidence).bytes,
  };
}

/** The first success of each execution that the draft rests on. */
function pairsOfDraft(draft: ComparedDraft, executions: readonly ObservedExecution[]): CallPair[] {
  const keys = new Set(draft.fingerprints);
  const follow = draft.evidence.predicate.learned?.follow.map(featureKey);
  return executions.flatMap((execution) => {
    const { episodes, project } = execution.observed;
    const own = episodes.filter((episode) => episodeFingerprints(episode, project).some((print) => keys.has(print)));
    const trials = own.flatMap((episode) => episode.trials);
    const trial = trials.find((one) => one.worked && follow?.every((key) => one.features.includes(key)));
    return trial === undefined ? [] : pairOf(execution, trial);
  });
}

function pairOf({ calls }: SetExecution, { from, at }: Pick<Trial, 'from' | 'at'>): CallPair[] {
  const [failed, worked] = [calls[from], calls[at]];
  return failed === undefined || worked === undefined ? [] : [{ failed, worked }];
}

/** The private lessons that the rules write about the executions which may teach. */
export function privateLessonsOf(executions: readonly ObservedExecution[]): LessonUnderTest[] {
  const [minScore, percentile] = loadConfig({}).successQuality;
  const strategy = captureStrategy('hybrid', { minScore, percentile });
  const proposer = new RulesProposer();
  const lessons: LessonUnderTest[] = [];
  for (const execution of executions) {
    const { report, observed } = execution;
    const obstacles = obstaclesOf(report.toolCalls);
    const decision = strategy.decide({ report, observations: observed, obstacles, recentQuality: [] });
    if (!decision.learnable) continue;
    const payload = redactDeep(analysisPayload(decision.kind, report, observed, obstacles)).value;
    for (const written of proposer.lessonsOf(payload)) {
      const { data: lesson } = Lesson.safeParse(generalOf(written));
      if (lesson === undefined) continue;
      const obstacle = subjectOf(payload, lesson);
      const { id } = execution.row;
      lessons.push({
        lesson: judgedLesson(lesson, id),
        tool: obstacle?.tool ?? '',
        family: obstacle === undefined ? id : `${obstacle.tool} ${obstacle.action}, ${obstacle.errorClass}`,
        pairs: obstacle === undefined ? [] : pairsOfObstacle(execution, obstacle),
      });
    }
  }
  return lessons;
}

function judgedLesson({ discovery, activation, steps, cause, example }: Lesson, id: string): JudgedLesson {
  return {
    kind: 'lesson',
    title: `${id}: ${discovery}`,
    parts: [
      ...[discovery, activation.action, ...steps].map((text) => ({ text, recommends: true })),
      ...[activation.condition, activation.rationale, cause ?? ''].map((text) => ({ text, recommends: false })),
    ],
    example,
    file: '',
  };
}

/** The failed call of the obstacle, and the call that overcame it. */
function pairsOfObstacle(execution: ObservedExecution, { remedyKey }: Obstacle): CallPair[] {
  if (remedyKey === null) return [];
  const { report } = execution;
  const pairs = casesOf(learningCalls(report.toolCalls, parsedCalls(report))).flatMap((one) => {
    const outcome = outcomeOf(one);
    const isOwn = outcome.kind === 'overcome' && remedyFingerprint(outcome.key) === remedyKey;
    return isOwn ? pairOf(execution, { from: one.failed.at, at: outcome.taken.call.at }) : [];
  });
  return pairs.slice(0, 1);
}
