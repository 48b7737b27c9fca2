import type { Verification } from '../report/execution-report.schema.js';
import type { ParsedCall } from './trial.js';

/**
 * What an execution did, where somebody else than the agent says how it ended (spec E1.4: what the good runs do that the
 * others do not). Steps are the coarse actions in their order, each run of one action once.
 */
export interface Workflow {
  succeeded: boolean;
  steps: WorkflowStep[];
}

export interface WorkflowStep {
  action: string;
  ok: boolean;
}

/** A longer execution is read up to `steps`. Before a failure, `before` steps are kept of the last `back` calls. */
export const WORKFLOW_LIMITS = { steps: 60, between: 2, before: 2, back: 4 } as const;

/** Looking, editing and asking for versions accompany every piece of work and tell good runs from bad ones by nothing. */
const ROUTINE_ACTIONS =
  /^(?:file:|list$|web:|version:|shell:(?:pwd|cd|echo|printf|true|sleep|export|set|mkdir|clear)$)/;

/** Whether a call does something that another one could depend on. */
export function isWorkflowStep({ shape }: ParsedCall): boolean {
  return shape.tool === 'shell' && shape.coarse !== '' && !ROUTINE_ACTIONS.test(shape.purpose);
}

/**
 * What was done between a failure and the same action again, as one n-gram: `db start`, or `db start > db seed`. Undefined
 * where that was nothing, or more than two steps, since what is longer never comes twice.
 */
export function stepsBetween(failed: ParsedCall, between: readonly ParsedCall[]): string | undefined {
  const steps = between.filter((call) => call.ok && isWorkflowStep(call) && call.shape.coarse !== failed.shape.coarse);
  if (steps.length === 0 || steps.length > WORKFLOW_LIMITS.between || steps.some(({ shape }) => shape.masksExit))
    return undefined;
  return steps.map(({ shape }) => shape.coarse).join(' > ');
}

/**
 * What had been done well right before a failure, as one n-gram, the last step last: `db drop`, or `db stop > db drop`
 * (spec E1.2 b). Looking and editing in between count for nothing; undefined where there was nothing else.
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

/** Nothing where nobody says how it ended, or the agent alone does. */
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

/** The short windows around the call at `index` (spec E1.2 b), as `git pull > git push!`; `name` says what a call is. */
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
