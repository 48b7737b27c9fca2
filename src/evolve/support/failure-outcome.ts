import type { Episode } from '../../capture/observations/episode.js';
import { areSame, type Call } from '../../learning/calls/call.js';
import { TEXT } from '../../learning/calls/tokens.js';
import { type Case, callsAfter, casesOf, type Try } from '../../learning/recoveries/case.js';
import { commandsOf, onlyLooks } from '../../learning/recoveries/goal.js';
import { type Outcome, outcomeOf } from '../../learning/recoveries/own-remedy.js';
import { CODE_CHANGED, type RefusedRemedy, SKIPS_CHECK } from '../../learning/recoveries/refused-remedy.js';

/** A failed call as a table of calls shows it. */
interface ShownFailure {
  readonly text: string;
  readonly error: string;
  readonly failure?: { readonly template: string };
}

/** How a run got past a failure, best first; the last two did not. */
export const OUTCOME_KINDS = ['overcome', 'repeated', 'edited', 'skipped', 'passed', 'left', 'open'] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

/** What became of a failed call in its run. */
export interface FailureOutcome {
  /**
   * `edited`: a later call worked after code was changed; `skipped`: it skipped a check; `passed`: it did something else
   * that may not be advised; `left`: the run only looked, and went on, or nothing says how its tries ended.
   */
  readonly kind: OutcomeKind;
  /** Why what got past it may not be advised. */
  readonly because?: RefusedRemedy | typeof HIDDEN;
  /** The places of the calls that got past it: the steps, then the call that worked. */
  readonly taken: readonly number[];
  /** Of what overcame it: the key of the remedy. */
  readonly key?: string;
  /** Whether the same call worked when it was first repeated with nothing in between; undefined if it never was. */
  readonly again?: boolean;
}

const KIND_OF: ReadonlyMap<FailureOutcome['because'], FailureOutcome['kind']> = new Map([
  [SKIPS_CHECK, 'skipped'],
  [CODE_CHANGED, 'edited'],
]);
const HIDDEN = 'differs in what the report leaves out';

/**
 * What became of each failed call of a report, by its place; `read`: the same as the learning core reads them. Linear in
 * the number of calls. The episodes know of calls
 * that only skip a check what the learning core does not read as a try: `npm run lint || true`, whose result is hidden.
 */
export function failureOutcomes(
  shown: readonly ShownFailure[],
  read: () => readonly Call[],
  episodes: readonly Episode[],
): ReadonlyMap<number, FailureOutcome> {
  if (shown.every(({ failure }) => failure === undefined)) return new Map();
  const calls = read();
  const skips = episodes.flatMap(({ trials }) => trials).filter(({ skipsCheck, worked }) => skipsCheck && worked);
  const skipping = new Map(skips.map(({ from, at }) => [from, at]));
  const goesOn = (failed: Call): FailureOutcome => {
    // That nothing was found is an answer; what was to be done and was not stays open.
    const isLook = failed.error.length === 0 || commandsOf(failed).every((words) => onlyLooks(words.join(' ')));
    const isLeft = isLook && callsAfter(calls, failed).some(({ ended }) => ended === true);
    return { kind: isLeft ? 'left' : 'open', taken: [] };
  };
  // An error without a line that says why is that of no case.
  const mute = calls.filter((call) => call.failed && call.error.length === 0);
  return new Map(
    [
      ...mute.map((call): [number, FailureOutcome] => [call.at, goesOn(call)]),
      ...casesOf(calls).map((one): [number, FailureOutcome] => {
        const own = shown[one.failed.at];
        const isShown = own !== undefined && showsWhatFailed(own);
        const found = failureOutcome(one, isShown, skipping.get(one.failed.at));
        if (found.kind !== 'open' || one.tries.some(({ call }) => call.ended === false)) return [one.failed.at, found];
        return [one.failed.at, one.tries.length > 0 ? { ...found, kind: 'left' } : goesOn(one.failed)];
      }),
    ].filter(([at]) => shown[at]?.failure !== undefined),
  );
}

function failureOutcome(one: Case, isShown: boolean, skipped: number | undefined): FailureOutcome {
  const outcome = outcomeOf(one);
  const again = isShown ? one.tries.find((other) => isPlainRepeat(one, other))?.worked : undefined;
  const repeat = {
    ...(again === undefined ? {} : { again }),
    ...(outcome.kind === 'overcome' ? { key: outcome.key } : {}),
  };
  if (skipped !== undefined && (outcome.kind === 'open' || outcome.taken.call.at === skipped))
    return { kind: 'skipped', because: SKIPS_CHECK, taken: [skipped], ...repeat };
  if (outcome.kind === 'open') return { kind: 'open', taken: [], ...repeat };
  const taken = [...(outcome.kind === 'overcome' ? outcome.steps : []), outcome.taken.call.at];
  const because = refusalOf(one, outcome, isShown);
  if (because === undefined) return { kind: outcome.kind === 'overcome' ? 'overcome' : 'repeated', taken, ...repeat };
  return { kind: KIND_OF.get(because) ?? 'passed', because, taken, ...repeat };
}

const isPlainRepeat = ({ failed }: Case, { call, features }: Try): boolean =>
  features.size === 0 && areSame(call, failed);

/** Why a try may not be advised. One without a feature may still be another call: with fewer words, or with content. */
function refusalOf(
  { failed }: Case,
  outcome: Exclude<Outcome, { kind: 'open' }>,
  isShown: boolean,
): FailureOutcome['because'] {
  if (outcome.kind !== 'repeated') return outcome.kind === 'passed' ? outcome.because : undefined;
  const { tokens } = outcome.taken.call;
  // What no report holds, such as code, may be other code.
  if (areSame(outcome.taken.call, failed)) return tokens.includes(TEXT) ? CODE_CHANGED : isShown ? undefined : HIDDEN;
  const known = new Set(failed.tokens);
  return tokens.every((one) => known.has(one)) ? 'leaves out what the error does not name' : 'names nothing to do';
}

/**
 * Returns whether a call that looks the same is the same: some reports leave arguments out, and then the error names a
 * path or a name that the call does not show.
 */
function showsWhatFailed({ text, error, failure }: ShownFailure): boolean {
  const fixed = new Set(wordsOf(failure?.template ?? ''));
  const named = wordsOf(error).filter((word) => !fixed.has(word) && /[a-z]/i.test(word));
  return named.length === 0 || named.some((word) => text.includes(word));
}

const wordsOf = (text: string): string[] => text.split(/[\s'"`:,;()[\]]+/).filter((word) => word.length > 1);
