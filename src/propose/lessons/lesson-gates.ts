import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import { type LessonEvidence, textsOf } from '../../evidence/gates/dossier-evidence.js';
import type { GatedLesson, GateFinding } from '../../evidence/gates/gated-lesson.js';
import { ungroundedSpans } from '../../evidence/gates/grounding.js';
import { lintFindings } from '../../evidence/gates/lint.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { executionDossier } from '../model/execution-dossier.js';

/** What the gates refuse in a lesson as a whole. */
export interface RefusedLesson {
  readonly refused: 'ungrounded' | 'lint';
  readonly findings: readonly GateFinding[];
}

/**
 * What a lesson of this execution may rest on: its dossier, and the texts of its payload in full, since the dossier
 * shortens calls and the rules write from them.
 */
export function executionEvidence(payload: AnalysisPayload): LessonEvidence {
  const { obstacles, calls, ...rest } = payload;
  const failures = obstacles.map(({ failureKey: _failure, remedyKey: _remedy, ...shown }) => shown);
  return {
    dossierText: [executionDossier(payload), ...textsOf([rest, failures, calls])].join('\n'),
    errors: [...obstacles, ...calls].flatMap(({ errorLine }) => errorLine ?? []),
  };
}

/**
 * The lesson without the steps and tags that grounding or lint refuse, or what they refuse in it as a whole: a finding
 * in another part, or no step that is left. The environment is the execution's own, and is not read. An override that
 * the failing tool itself names, or a protection that was turned off in the execution, is no reason to refuse.
 */
export function gatedLesson(lesson: Lesson, evidence: LessonEvidence): { readonly lesson: Lesson } | RefusedLesson {
  const findings = findingsIn(lesson, evidence);
  const essential = findings.filter(({ part }) => !/^(?:steps|tags)\./.test(part));
  const isKept = (list: 'steps' | 'tags') => (_: string, at: number) =>
    !findings.some(({ part }) => part === `${list}.${at}`);
  const steps = lesson.steps.filter(isKept('steps'));
  if (essential.length > 0) return refused(essential);
  if (steps.length === 0) return refused(findings);
  return { lesson: { ...lesson, steps, tags: lesson.tags.filter(isKept('tags')) } };
}

/** Lint says more about the writer than grounding. */
const refused = (findings: readonly GateFinding[]): RefusedLesson => ({
  refused: findings.some(({ gate }) => gate === 'lint') ? 'lint' : 'ungrounded',
  findings,
});

function findingsIn(
  { discovery, activation, cause, steps, example, tags }: Lesson,
  evidence: LessonEvidence,
): GateFinding[] {
  const lesson: GatedLesson = {
    title: discovery,
    ...activation,
    steps,
    gotchas: [],
    tags,
    ...(cause === undefined ? {} : { cause }),
    ...(example?.worked ? { example: { before: callText(example.failed), after: callText(example.worked) } } : {}),
  };
  return [...ungroundedSpans(lesson, evidence.dossierText), ...lintFindings(lesson, evidence)]
    .filter(({ severity }) => severity === 'refuse')
    .map((found) => (found.part === 'title' ? { ...found, part: 'discovery' } : found));
}
