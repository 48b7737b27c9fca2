import { type Firing, firstFirings, mostFrequent } from './firing.js';
import type { Sample } from './hypothesis.js';

/** A part of the failures of this share stands for all of them. */
export const WHOLE_SHARE = 0.8;
const MOST = 12;

/** The failures of each action alone, if the family has several of which none has most. */
export function actionSamples(sample: Sample): Sample[] {
  const byAction = new Map<string, Firing[]>();
  for (const firing of sample.firings) {
    const action = firing.failed.failure?.action ?? '';
    const known = byAction.get(action);
    if (known) known.push(firing);
    else byAction.set(action, [firing]);
  }
  return mostFrequent(sample.firings.map(({ failed }) => failed.failure?.action ?? ''))
    .slice(0, MOST)
    .flatMap(([action]) => {
      const firings = byAction.get(action) ?? [];
      const isPart = firings.length < WHOLE_SHARE * sample.firings.length && originsOf(firings) >= sample.minOrigins;
      const when = isPart ? sample.conditionOf(firings) : [];
      return when.length > 0 ? [{ ...sample, firings, first: firstFirings(firings), when }] : [];
    });
}

/** The origins in which the goal was reached afterwards. */
const originsOf = (firings: readonly Firing[]): number =>
  new Set(firings.flatMap(({ execution, recovery }) => (recovery ? [execution.origin] : []))).size;
