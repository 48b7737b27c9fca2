import type { FailedCall, ParsedCall } from './trial.js';

/** Each statement of a generated list can have another name. */
const MOST_ACTIONS = 2_000;

export function usageKey(tool: string, action: string): string {
  return JSON.stringify([tool, action]);
}

/** The distinct actions of an execution: as they were called, and as their errors blame them. */
export function usedActions(
  calls: readonly (Pick<ParsedCall, 'shape'> | Pick<FailedCall, 'shape' | 'failing'>)[],
): Set<string> {
  const used = new Set<string>();
  for (const call of calls) {
    const { tool, coarse, earlier } = call.shape;
    const names = [coarse, ...earlier, ...('failing' in call ? [call.failing.coarse] : [])];
    for (const name of names) if (used.size < MOST_ACTIONS) used.add(usageKey(tool, name));
  }
  return used;
}
