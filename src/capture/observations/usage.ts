import { OBSERVATION_SETTINGS } from './episode.js';
import type { FailedCall, ParsedCall } from './trial.js';

export function usageKey(tool: string, action: string): string {
  return JSON.stringify([tool, action]);
}

/** The distinct actions of an execution: as they were called, and as their errors blame them. */
export function usedActions(
  calls: readonly (Pick<ParsedCall, 'shape'> | Pick<FailedCall, 'shape' | 'failing'>)[],
): Set<string> {
  const used = new Set<string>();
  const forms = new Map<string, number>();
  for (const call of calls) {
    const shapes = 'failing' in call ? [call.shape, call.failing] : [call.shape];
    for (const { tool, program, coarse, fine, flags } of shapes) {
      used.add(usageKey(tool, coarse));
      const form = usageKey(tool, fine);
      const count = forms.get(coarse) ?? 0;
      if (!used.has(form) && (tool === 'shell' || count < OBSERVATION_SETTINGS.forms)) {
        used.add(form);
        forms.set(coarse, count + 1);
      }
      // An error can blame this option, which is then a separate action: `git -C`.
      if (flags.includes('-C')) used.add(usageKey(tool, `${program} -C`)).add(usageKey(tool, `${program} -C [dir]`));
    }
    for (const step of call.shape.before) {
      used.add(usageKey(call.shape.tool, step)).add(usageKey(call.shape.tool, step.split(' ')[0] ?? step));
    }
  }
  return used;
}
