import { areSame, type Call } from '../calls/call.js';
import { namedIn } from '../calls/error-tokens.js';
import type { Case, Step, Try } from './case.js';
import { isAboutItself } from './change.js';
import {
  CODE_CHANGED,
  FOREIGN_SOURCE,
  isNamedAfter,
  isStep,
  type RefusedRemedy,
  refusedRemedy,
  SKIPS_CHECK,
} from './refused-remedy.js';

/** What one run shows of a failure. */
export type Outcome =
  | { readonly kind: 'overcome'; readonly taken: Try; readonly steps: readonly number[]; readonly key: string }
  /** A later call got past it, and nothing that may be advised says why. */
  | { readonly kind: 'passed'; readonly taken: Try; readonly because: RefusedRemedy }
  | { readonly kind: 'repeated'; readonly taken: Try }
  | { readonly kind: 'open' };

/**
 * What became of a failure in its run: the first try that worked, with what was different about it. A change of the call
 * explains it before a step does. `steps`: the places of the calls to make first; for a change also of the look that
 * gave a new value. `key` identifies the remedy.
 */
export function outcomeOf(one: Case): Outcome {
  const worked = one.tries.filter((tried) => tried.worked === true);
  const [taken] = worked;
  if (taken === undefined) {
    const edited = one.tries.find(({ afterEdit }) => afterEdit === true);
    return edited === undefined ? { kind: 'open' } : { kind: 'passed', taken: edited, because: CODE_CHANGED };
  }
  // The same try failed before: what came in between belongs to the remedy, and one run cannot tell which of it.
  const isRetried = one.tries.some(({ call }) => call.at < taken.call.at && call.failed && areSame(call, taken.call));
  if (isRetried && changes(taken)) return { kind: 'passed', taken, because: 'names nothing to do' };
  const features = [...taken.features];
  const change = features.filter((feature) => !isStep(feature));
  const refusals = new Map(features.map((feature) => [feature, refusedRemedy(feature, change, [{ one, taken }])]));
  const allowed = (feature: string): boolean => refusals.get(feature) === undefined;
  const changed = change.filter(allowed);
  if (changed.length > 0)
    return { kind: 'overcome', taken, steps: lookUps(taken, one.failed, changed), key: changed.sort().join(' ') };
  const best = bestStep(taken, one.failed, allowed);
  if (best !== undefined)
    return { kind: 'overcome', taken, key: best.feature, steps: best.step.at === taken.call.at ? [] : [best.step.at] };
  const given = [...refusals.values()];
  // What did something, and may not be advised after one run.
  const because = given.find((one) => one === SKIPS_CHECK || one === FOREIGN_SOURCE) ?? (change.length > 0 && given[0]);
  return because ? { kind: 'passed', taken, because } : { kind: 'repeated', taken };
}

const changes = ({ features }: Try): boolean => [...features].some((feature) => !isStep(feature));

const isPartOf = (short: string, long: string): boolean => short.length > 2 && long.includes(short);

/** A value that neither the failed call nor its error held a part of comes from the last look that was about the error. */
function lookUps({ steps, call }: Try, failed: Call, changed: readonly string[]): number[] {
  const isNamed = namedIn(failed.error);
  const isNew = (feature: string): boolean =>
    /^\+[^-⟨][^⟨]*$/.test(feature) &&
    !feature.endsWith('=') &&
    !isNamed(feature.slice(1)) &&
    !failed.tokens.some((token) => isPartOf(token, feature.slice(1)) || isPartOf(feature.slice(1), token));
  if (!changed.some(isNew)) return [];
  const looks = [...steps].filter(
    ([feature, step]) => step.at !== call.at && relation(feature, step, failed) === 2 && !isAboutItself(step.tokens),
  );
  return looks.length === 0 ? [] : [Math.max(...looks.map(([, { at }]) => at))];
}

function bestStep(
  { steps }: Try,
  failed: Call,
  allowed: (feature: string) => boolean,
): { readonly feature: string; readonly step: Step } | undefined {
  const ranked = [...steps]
    .filter(([feature]) => allowed(feature))
    .map(([feature, step]) => ({ feature, step, rank: relation(feature, step, failed) }))
    .sort((a, b) => b.rank - a.rank || b.step.at - a.step.at || b.feature.length - a.feature.length);
  const [best] = ranked;
  // Of several steps that are about something else, nothing says which one helped.
  const isAmbiguous = best?.rank === 0 && new Set(ranked.map(({ step }) => step.tokens)).size > 1;
  return isAmbiguous ? undefined : best;
}

/** How much a step is about the failure: it takes up the error, changes a setting, or takes up the call. */
function relation(feature: string, { tokens }: Step, failed: Call): number {
  if (feature.startsWith('step edit ')) return 3;
  if (feature.includes('⟨e⟩') || isNamedAfter(tokens, failed)) return 2;
  return feature.includes('⟨f⟩') ? 1 : 0;
}
