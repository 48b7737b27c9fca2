import { FILE_TOOLS } from '../../capture/errors/error-kind.js';
import type { ApproachKind } from '../../capture/observations/trial.js';
import { compareText } from '../../platform/base/compare-text.js';
import { sumBy } from '../../platform/base/sum.js';
import { Counts } from '../evidence/counts.js';
import { type CountedDanger, shownDangers } from '../evidence/danger-counts.js';
import type { TrialCount } from '../evidence/pattern-evidence.js';
import { type Proportion, wilson } from '../statistics/wilson.js';
import { ANY_OWNERS, balancedTries, hasOwners, type OwnerRule } from './owner-rule.js';

/**
 * How approaches are distinguished: by coarse action, by fine action, by the flags and variables of the fine action
 * whatever their values, or by the steps between the failure and the same action again.
 */
export type ApproachGranularity = 'coarse' | 'fine' | 'flags' | 'recovery';

/** An approach that was tried after the failure, and how often it overcame the failure. */
export interface Alternative {
  /** `precede`: not tried after a failure, but done before the action in successful executions. */
  how: ApproachKind | 'precede';
  /** The proposed action: coarse, or fine if flags or operands make the difference. */
  action: string;
  /** The action as shown in a table: `python3`, `without cd`, `read first`, `read on another path`. */
  label: string;
  granularity: ApproachGranularity;
  outcome: Proportion;
  agents: number;
  successAgents: number;
  verified: number;
  /** Success rate minus that of repeating, -1..1. */
  lift: number;
  /** Forms in which it succeeded, most frequent first. */
  forms: string[];
  /** Set if it holds only right after these steps. */
  following?: string;
  /** It only skipped a check, which is no remedy. */
  skipsCheck?: true;
  /** The dangerous forms of its successful tries, for the reviewer. */
  dangers?: readonly CountedDanger[];
}

export interface Contrast {
  repeat: Proportion;
  alternatives: Alternative[];
  /**
   * The alternative with the best evidence. Without one, the failure is an unsolved problem and never becomes a skill.
   */
  chosen?: Alternative;
  /** The tries of the remedy and of repeating, in which no owner outweighs the others; missing if none does. */
  perOwner?: { readonly chosen: Proportion; readonly repeat: Proportion };
}

/**
 * A remedy needs at least 3 observations from 2 agents, and a lower bound above the rate of repeating. It must also
 * have worked for two agents and in more than one of three tries: a reviewer would not accept less.
 */
export const CONTRAST_SETTINGS = { minTries: 3, minAgents: 2, minRate: 0.34, passesAt: 0.5 } as const;

/** A broad pattern needs this many confirming members, with this share of the failures. */
export const BREADTH_SETTINGS = { members: 2, share: 0.5, different: 0.95 } as const;

/**
 * Returns whether a remedy is strong enough to merge its pattern with another one of the same action. Stricter than
 * being chosen: the two intervals must be disjoint.
 */
export function isClearlyBetter({ chosen, repeat }: Contrast): boolean {
  return chosen !== undefined && chosen.outcome.lower > repeat.upper;
}

/**
 * Returns whether repeating the action overcomes the failure more often than not, so that there is nothing to learn and
 * nothing unsolved.
 */
export function isTransient({ repeat }: Contrast): boolean {
  return repeat.n >= CONTRAST_SETTINGS.minTries && repeat.rate >= CONTRAST_SETTINGS.passesAt;
}

/**
 * Compares what was tried against failures of the action `coarse`. Tries that only skipped a check are no remedies:
 * without `withSkips` they do not count at all.
 */
export function contrastOf(
  coarse: string,
  trials: Iterable<TrialCount>,
  rule: OwnerRule = ANY_OWNERS,
  withSkips = false,
): Contrast {
  const tried = [...trials];
  const found = contrastOfTrials(
    coarse,
    tried.filter(({ skipsCheck }) => !skipsCheck),
    rule,
  );
  return found.chosen || !withSkips ? found : contrastOfTrials(coarse, tried, rule);
}

function contrastOfTrials(coarse: string, all: readonly TrialCount[], rule: OwnerRule): Contrast {
  // In the coarse form, every variation of the failing action is a repeat.
  const isRepeat = (trial: TrialCount): boolean =>
    !trial.skipsCheck && (trial.how === 'repeat' || (trial.how === 'replace' && trial.coarse === coarse));
  const atCoarse = compare(all, isRepeat, 'coarse', rule);
  if (atCoarse.chosen) return atCoarse;
  const atFine = compare(all, (trial) => !trial.skipsCheck && trial.how === 'repeat', 'fine', rule);
  if (atFine.chosen) return atFine;
  if (all.some(({ addsFlag }) => addsFlag)) {
    const atFlags = compare(all, (trial) => !trial.skipsCheck && trial.how === 'repeat', 'flags', rule);
    if (atFlags.chosen) return atFlags;
  }
  // Last, so that a shorter pattern is preferred to a longer one.
  const isPlainRepeat = (trial: TrialCount): boolean => isRepeat(trial) && trial.after === undefined;
  const atRecovery = all.some(({ after }) => after !== undefined)
    ? compare(all, isPlainRepeat, 'recovery', rule)
    : atCoarse;
  if (atRecovery.chosen) return atRecovery;
  const [found] = [1, 2].flatMap((steps) => contextualRemedies(all, isRepeat, steps, rule));
  return found ? { ...atCoarse, ...found } : atCoarse;
}

/**
 * Returns the remedies that hold right after this many preceding steps, the best evidence first. Each is compared with
 * repeating after the same steps.
 */
function contextualRemedies(
  all: readonly TrialCount[],
  isRepeat: (trial: TrialCount) => boolean,
  steps: number,
  rule: OwnerRule,
): Required<Pick<Contrast, 'repeat' | 'chosen'>>[] {
  const byContext = new Map<string, TrialCount[]>();
  for (const trial of all) {
    const context = lastSteps(trial.before, steps);
    if (context === undefined) continue;
    const known = byContext.get(context);
    if (known) known.push(trial);
    else byContext.set(context, [trial]);
  }
  const found = [...byContext].flatMap(([context, trials]) => {
    const { repeat, chosen } = compare(trials, isRepeat, 'coarse', rule);
    return chosen ? [{ repeat, chosen: { ...chosen, following: context } }] : [];
  });
  return found.sort((a, b) => byEvidence(a.chosen, b.chosen) || compareText(a.chosen.following, b.chosen.following));
}

function lastSteps(before: string | undefined, steps: number): string | undefined {
  const all = before?.split(' > ') ?? [];
  return all.length < steps ? undefined : all.slice(-steps).join(' > ');
}

/** Returns whether a trial used the approach of an alternative. */
export function isApproach(
  trial: TrialKey,
  {
    how,
    action,
    granularity,
    following: context,
    skipsCheck,
  }: Pick<Alternative, 'how' | 'action' | 'granularity' | 'following' | 'skipsCheck'>,
): boolean {
  const [ownHow, ownAction] = approachAt(trial, granularity);
  const isSame = ownHow === how && ownAction === action && trial.skipsCheck === skipsCheck;
  return isSame && followsSteps(trial, context);
}

/** Returns whether a trial followed a failure right after these steps. */
export function followsSteps({ before }: TrialKey, context: string | undefined): boolean {
  return context === undefined || lastSteps(before, context.split(' > ').length) === context;
}

/** A flag or a variable of a fine action, with its value. */
const VALUE = /((?:^|(?<= ))(?:--?[A-Za-z]|[A-Z_])[\w.-]{0,60})=\S{1,200}/g;

type TrialKey = Pick<TrialCount, 'how' | 'coarse' | 'fine' | 'after' | 'before' | 'skipsCheck'>;

function approachAt({ how, coarse, fine, after }: TrialKey, granularity: ApproachGranularity): [ApproachKind, string] {
  if (granularity === 'fine') return [how, fine];
  if (granularity === 'flags') return [how, fine.replace(VALUE, '$1')];
  return granularity === 'recovery' && after !== undefined ? ['prepare', after] : [how, coarse];
}

function compare(
  trials: readonly TrialCount[],
  isRepeat: (trial: TrialCount) => boolean,
  granularity: ApproachGranularity,
  rule: OwnerRule,
): Contrast {
  const groups = new Map<string, TrialCount[]>();
  const repeated = { tries: 0, successes: 0 };
  for (const trial of trials) {
    if (isRepeat(trial)) {
      repeated.tries += trial.tries;
      repeated.successes += trial.successes;
    } else {
      const key = JSON.stringify([...approachAt(trial, granularity), trial.skipsCheck]);
      groups.set(key, [...(groups.get(key) ?? []), trial]);
    }
  }
  const repeat = wilson(repeated.successes, repeated.tries);
  const alternatives = [...groups.values()]
    .flatMap((group) => alternativeOf(group, granularity, repeat))
    .sort(byEvidence);
  const trialsOf = (one: Alternative): TrialCount[] =>
    groups.get(JSON.stringify([one.how, one.action, one.skipsCheck])) ?? [];
  // Another value of the same flag, which differs from try to try, teaches nothing.
  const teaches = (one: Alternative): boolean =>
    granularity !== 'flags' || trialsOf(one).some(({ addsFlag }) => addsFlag);
  const chosen = alternatives.find((one) => qualifies(one, repeat) && teaches(one) && hasOwners(trialsOf(one), rule));
  if (!chosen) return { repeat, alternatives };
  const perOwner = balancedTries(trialsOf(chosen), trials.filter(isRepeat), rule);
  return { repeat, alternatives, chosen, ...(perOwner ? { perOwner } : {}) };
}

function alternativeOf(
  group: readonly TrialCount[],
  granularity: ApproachGranularity,
  repeat: Proportion,
): Alternative[] {
  const [first] = group;
  if (!first) return [];
  const sum = (of: 'tries' | 'successes' | 'verified') => sumBy(group, (trial) => trial[of]);
  const outcome = wilson(sum('successes'), sum('tries'));
  const forms = group
    .filter((trial) => trial.successes > 0)
    .sort((a, b) => b.successes - a.successes || compareText(a.fine, b.fine))
    .map((trial) => trial.fine);
  const [how, action] = approachAt(first, granularity);
  const dangers = shownDangers(group.map((trial) => trial.dangers));
  return [
    {
      ...(dangers.length > 0 ? { dangers } : {}),
      ...(first.skipsCheck ? { skipsCheck: true } : {}),
      how,
      action,
      label: labelOf(how, action),
      granularity,
      outcome,
      agents: Counts.countDistinct(group.map(({ agents }) => agents)),
      successAgents: Counts.countDistinct(group.map(({ successAgents }) => successAgents)),
      verified: sum('verified'),
      lift: outcome.rate - repeat.rate,
      forms: forms.slice(0, 5),
    },
  ];
}

function labelOf(how: ApproachKind, action: string): string {
  if (how === 'omit') return `without ${action}`;
  if (how === 'prepare') return `${action.split(' > ').join(', then ')} first`;
  if (how !== 'relocate') return action;
  return action === 'shell' || action === FILE_TOOLS ? 'on another path' : `${action} on another path`;
}

function qualifies(alternative: Alternative, repeat: Proportion): boolean {
  return (
    alternative.outcome.n >= CONTRAST_SETTINGS.minTries &&
    alternative.agents >= CONTRAST_SETTINGS.minAgents &&
    alternative.successAgents >= CONTRAST_SETTINGS.minAgents &&
    alternative.outcome.rate >= CONTRAST_SETTINGS.minRate &&
    alternative.outcome.lower > repeat.rate
  );
}

function byEvidence(a: Alternative, b: Alternative): number {
  return (
    b.outcome.lower - a.outcome.lower ||
    b.outcome.n - a.outcome.n ||
    compareText(`${a.how} ${a.action}`, `${b.how} ${b.action}`)
  );
}

/** Returns whether several agents got past the failure, and only by skipping a check. */
export function isOnlySkipped({ chosen }: Contrast, trials: Iterable<TrialCount>): boolean {
  const skips = [...trials].filter((trial) => trial.skipsCheck && trial.successes > 0);
  const agents = Counts.countDistinct(skips.map(({ successAgents }) => successAgents));
  return (chosen === undefined || chosen.skipsCheck === true) && agents >= CONTRAST_SETTINGS.minAgents;
}
