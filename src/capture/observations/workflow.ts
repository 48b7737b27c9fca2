import type { Verification } from '../report/execution-report.schema.js';
import type { ParsedCall } from './trial.js';

/**
 * The steps of an execution whose outcome something other than the agent reported, for the comparison of successful and
 * failed runs. Steps are the coarse actions in order; repeated actions count once.
 */
export interface Workflow {
  succeeded: boolean;
  steps: WorkflowStep[];
}

export interface WorkflowStep {
  action: string;
  ok: boolean;
}

/**
 * `steps`: longest workflow that is kept. `between`: longest sequence between a failure and its repetition. `before`:
 * steps that are kept before a failure, out of the last `back` calls.
 */
export const WORKFLOW_LIMITS = { steps: 60, between: 2, before: 2, back: 4 } as const;

/** Inspecting, editing and version probes accompany all work and do not distinguish good runs from bad ones. */
export const ROUTINE_ACTIONS =
  /^(?:file:|list$|web:|version:|shell:(?:pwd|cd|echo|printf|true|sleep|export|set|mkdir|clear)$)/;

/** True if another call could depend on what this call does. */
export function isWorkflowStep({ shape }: ParsedCall): boolean {
  return shape.tool === 'shell' && shape.coarse !== '' && !ROUTINE_ACTIONS.test(shape.purpose);
}

/**
 * The steps between a failure and the same action again, as one n-gram: `db start` or `db start > db seed`. Undefined
 * if there are none or more than two, since longer sequences do not recur.
 */
export function stepsBetween(failed: ParsedCall, between: readonly ParsedCall[]): string | undefined {
  const steps = between.filter((call) => call.ok && isWorkflowStep(call) && call.shape.coarse !== failed.shape.coarse);
  if (steps.length === 0 || steps.length > WORKFLOW_LIMITS.between || steps.some(({ shape }) => shape.masksExit))
    return undefined;
  return steps.map(({ shape }) => shape.coarse).join(' > ');
}

/**
 * The successful steps right before a failure, as one n-gram with the last step at the end: `db drop` or `db stop > db
 * drop`. Ignores inspecting and editing; undefined if there was nothing else.
 */
export function stepsBefore(failed: ParsedCall, calls: readonly ParsedCall[]): string | undefined {
  const { before, back } = WORKFLOW_LIMITS;
  const steps = calls
    .slice(Math.max(0, failed.index - back), failed.index)
    .filter(
      (call) => call.ok && isWorkflowStep(call) && !call.shape.masksExit && call.shape.coarse !== failed.shape.coarse,
    )
    .map(({ shape }) => shape.coarse);
  const distinct = steps.filter((step, at) => step !== steps[at - 1]).slice(-before);
  return distinct.length === 0 ? undefined : distinct.join(' > ');
}

/** Empty if the outcome is unknown or only the agent's own claim. */
export function workflowOf({ outcome, source }: Verification, calls: readonly ParsedCall[]): { workflow?: Workflow } {
  if (outcome === 'none' || source === 'self') return {};
  const steps: WorkflowStep[] = [];
  for (const call of calls) {
    if (!isWorkflowStep(call)) continue;
    const { shape, ok } = call;
    const last = steps.at(-1);
    if (last?.action === shape.coarse) last.ok ||= ok;
    else if (steps.length < WORKFLOW_LIMITS.steps) steps.push({ action: shape.coarse, ok });
  }
  return { workflow: { succeeded: outcome === 'succeeded', steps } };
}

/**
 * Short sequences of calls around the call at `index`, such as `git pull > git push!`. `name` returns the name of the
 * call at an index.
 */
export function windowsAround(index: number, name: (at: number) => string | undefined): string[] {
  const spans = [
    [index, index + 1],
    [index - 1, index],
    [index - 1, index + 1],
    [index, index + 2],
    [index, index + 3],
  ] as const;
  return spans.flatMap(([from, to]) => {
    const names = Array.from({ length: to - from + 1 }, (_, i) => name(from + i));
    return names.every((n) => n !== undefined) ? [names.join(' > ')] : [];
  });
}
