import { patternFingerprint } from '../../capture/observations/fingerprint.js';
import { groupsOf } from '../../platform/base/sum.js';
import { runCases } from '../cases/run-cases.js';
import { type RunContrast, type RunContrastSettings, runContrasts } from '../dossiers/run-contrast.js';
import { runStepOf } from '../evidence/arms.js';
import type { Family } from '../evidence/candidate.js';
import { checkPredicate } from '../evidence/check.js';
import { halvesOf } from '../evidence/halves.js';
import { inOrder, type RecordedExecution } from '../evidence/recorded-execution.js';
import type { Ledger } from '../support/ledger.js';
import { PatternEvidence } from '../support/pattern-evidence.js';
import { bindingOf } from './binding.js';
import { agentsOf, bestOfEach, type ExaminedCandidate, SHOWING } from './examined-candidate.js';
import type { FamilyFindings } from './family-examination.js';
import { NO_OUTCOMES } from './family-outcomes.js';

/** Used in place of an error class; no class has this name. */
export const SUCCESS = '* succeeds';

/**
 * Examines judged runs: steps before an action that good runs take, learned from one half of the origins and checked on
 * the other, both ways. Pure; does not depend on the order of the executions.
 */
export function examineRuns(
  given: readonly RecordedExecution[],
  ledger: Ledger,
  settings: RunContrastSettings,
): FamilyFindings[] {
  const executions = [...given].sort(inOrder);
  const halves = halvesOf(executions, { by: 'origin' });
  const learn = (from: readonly RecordedExecution[]) => runContrasts(from, settings);
  const found = [
    ...learn(halves.a).map((one) => examined(one, executions, halves.b, 'b')),
    ...learn(halves.b).map((one) => examined(one, executions, halves.a, 'a')),
    ...learn(executions).map((one) => examined(one, executions, [])),
  ];
  const byAction = groupsOf(found, ({ contrast }) => contrast.action);
  return [...byAction.values()].flatMap((same) => findingsOf(same, executions, ledger) ?? []);
}

interface ExaminedContrast {
  readonly contrast: RunContrast;
  readonly candidate: ExaminedCandidate;
}

function examined(
  contrast: RunContrast,
  executions: readonly RecordedExecution[],
  held: readonly RecordedExecution[],
  heldOut?: 'a' | 'b',
): ExaminedContrast {
  const { key, prior, predicate } = contrast;
  const cases = executions.flatMap(runCases(predicate));
  const candidate = { key, how: 'precede', action: prior, label: `${prior} first`, taught: [], avoided: [] } as const;
  return {
    contrast,
    candidate: {
      ...candidate,
      predicate,
      check: checkPredicate({ predicate, isFamily: () => false, held, all: executions, split: 'origin' }),
      binding: bindingOf(
        candidate,
        cases.map((one) => ({ ...one, failed: one.goal })),
      ),
      ...(heldOut ? { heldOut } : {}),
      workedFor: agentsOf(cases),
      runs: cases.slice(0, SHOWING),
      dangers: [],
      treated: new Set(cases.map(({ executionId }) => executionId)),
    },
  };
}

/** One lesson for an action: another step is another action against the same family. */
function findingsOf(
  same: readonly ExaminedContrast[],
  executions: readonly RecordedExecution[],
  ledger: Ledger,
): FamilyFindings | undefined {
  const [first, ...others] = bestOfEach(same.map(({ candidate }) => candidate));
  const contrast = same.find(({ candidate }) => candidate === first)?.contrast;
  if (!first || !contrast) return undefined;
  return {
    family: familyOf(contrast, first, executions, ledger),
    dossier: contrast.dossier,
    candidates: [first, ...others],
    outcomes: NO_OUTCOMES,
    examined: executions.length,
    isMember: () => false,
    read: executions.map(({ id }) => id),
    split: 'origin',
  };
}

/** The runs that took the step and ended well stand behind the lesson. */
function familyOf(
  { action, dossier }: RunContrast,
  { treated, predicate }: ExaminedCandidate,
  executions: readonly RecordedExecution[],
  ledger: Ledger,
): Family {
  const evidence = new PatternEvidence(ledger);
  for (const { id, source } of executions) {
    const number = treated.has(id) ? ledger.numberOf(id) : undefined;
    if (number !== undefined) evidence.addExecution({ execution: number, model: source.observed.model, failures: 1 });
  }
  const step = runStepOf(predicate);
  const tool = executions.flatMap(({ calls }) => calls).find((call) => step?.isAction(call))?.tool ?? 'shell';
  const fingerprint = patternFingerprint({ tool, action, errorClass: SUCCESS });
  return {
    fingerprint,
    signature: dossier.signature,
    templates: new Set(),
    fingerprints: [],
    tools: [tool],
    actions: [action],
    errorClasses: [SUCCESS],
    evidence,
  };
}
