import type { ParsedCall } from './trial.js';

/** Longer sequences between a failure and its repetition do not recur. */
const MOST_STEPS = 2;

/** Inspecting, editing and version probes accompany all work and do not distinguish good runs from bad ones. */
export const ROUTINE_ACTIONS =
  /^(?:file:|list$|web:|version:|shell:(?:pwd|cd|echo|printf|true|sleep|export|set|mkdir|clear)$)/;

/** True if another call could depend on what this call does. */
function isStep({ shape }: ParsedCall): boolean {
  return shape.tool === 'shell' && shape.coarse !== '' && !ROUTINE_ACTIONS.test(shape.purpose);
}

/**
 * The steps between a failure and the same action again, as one n-gram: `db start` or `db start > db seed`. Undefined
 * if there are none or more than two.
 */
export function stepsBetween(failed: ParsedCall, between: readonly ParsedCall[]): string | undefined {
  const steps = between.filter((call) => call.ok && isStep(call) && call.shape.coarse !== failed.shape.coarse);
  if (steps.length === 0 || steps.length > MOST_STEPS || steps.some(({ shape }) => shape.masksExit)) return undefined;
  return steps.map(({ shape }) => shape.coarse).join(' > ');
}
