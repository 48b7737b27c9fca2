import type { Dossier } from '../../evidence/dossier/dossier.schema.js';
import type { Arm } from '../../evidence/predicate/check.schema.js';
import type { Matcher, Predicate } from '../../evidence/predicate/predicate.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';
import { maskedCalls, programsOf } from './masked-names.js';
import { presentableError } from './presentable-call.js';
import { PublicValues } from './public-values.js';
import { dossierOfRuns } from './run-dossier.js';

/** A step before an action that judged runs took which ended well more often than others. */
export interface RunContrast {
  /** Stable over cycles: the place of the step, and the actions. */
  readonly key: string;
  readonly kind: RunFeatureKind;
  readonly action: string;
  /** The step before it. */
  readonly prior: string;
  /** Runs that did it and runs that did not, of those that could have done it. */
  readonly with: Arm;
  readonly without: Arm;
  /** The difference of the shares within agents (Mantel-Haenszel), and its z. */
  readonly difference: number;
  readonly z: number;
  readonly predicate: Predicate;
  readonly dossier: Dossier;
}

/** Somewhere before the action, or directly before it. */
type RunFeatureKind = 'before' | 'directly';

/** How good a contrast must be; agents and owners are those of runs that did it and ended well. */
export interface RunContrastSettings {
  readonly minAgents: number;
  readonly minOwners: number;
}

/** One way in which runs differ: those that could do it, and those of them that did. */
interface Feature {
  readonly kind: RunFeatureKind;
  readonly action: string;
  readonly prior: string;
  readonly did: Set<Run>;
}

/** A judged run with its steps: the coarse actions that could matter. */
export interface Run {
  readonly execution: RecordedExecution;
  readonly good: boolean;
  readonly steps: readonly Step[];
}

interface Step {
  readonly action: string;
  readonly call: RecordedCall;
}

const DEFAULTS: RunContrastSettings = { minAgents: 3, minOwners: 1 };
/**
 * Among many features some differ by chance, so that z is well above 1.96. `agents`: of runs without it. `tasks`: z within
 * tasks that were run more than once, since kinds of task differ.
 */
const RULES = {
  runs: 8,
  z: 3,
  difference: 0.1,
  weight: 4,
  origins: 3,
  agents: 2,
  tasks: 2,
  most: 12,
} as const;
/** Hostile reports can invent any number of actions. Above these limits, further ones are not examined. */
const LIMITS = { steps: 400, actions: 40, priors: 20, features: 20_000, label: 80 } as const;
/** What accompanies all work and distinguishes nothing: the working folder, messages, versions. */
const ROUTINE = /^(?:version:|shell:(?:pwd|cd|echo|printf|true|sleep|export|set|mkdir|clear)?$)/;

/**
 * Contrasts judged runs that ended well with those that did not, within agents: what they do before an action. At most one
 * contrast for an action, the surest first. Pure; independent of the order of the executions.
 */
export function runContrasts(
  executions: readonly RecordedExecution[],
  settings: RunContrastSettings = DEFAULTS,
): RunContrast[] {
  const runs = [...executions]
    .sort((a, b) => compareText(a.id, b.id))
    .flatMap((execution) => {
      const steps = stepsOf(execution);
      const { succeeded } = execution;
      return succeeded === undefined || steps.length === 0 ? [] : [{ execution, good: succeeded, steps }];
    });
  const found = featuresOf(runs).flatMap((feature) => scored(feature, runs, settings));
  found.sort((a, b) => b.z - a.z || compareText(keyOf(a), keyOf(b)));
  const chosen = distinctContrasts(found);
  if (chosen.length === 0) return [];
  const keep = programsOf(runs.map(({ execution }) => execution));
  const values = new PublicValues();
  for (const { execution } of runs) values.read(execution.origin, maskedCalls(execution, keep));
  return chosen.map((one) => contrastOf(one, values, keep));
}

interface Scored extends Feature {
  readonly universe: readonly Run[];
  readonly z: number;
  readonly difference: number;
}

const keyOf = ({ kind, action, prior }: Feature): string => JSON.stringify([kind, action, prior]);

function stepsOf({ calls }: RecordedExecution): Step[] {
  return calls.slice(0, LIMITS.steps).flatMap((call) => {
    const [action = ''] = call.actions;
    return action === '' || action.startsWith('[') || ROUTINE.test(call.goal) ? [] : [{ action, call }];
  });
}

function featuresOf(runs: readonly Run[]): Feature[] {
  const features = new Map<string, Feature>();
  for (const run of runs)
    for (const feature of featuresOfRun(run)) {
      const key = keyOf({ ...feature, did: new Set() });
      const known = features.get(key);
      if (known) known.did.add(run);
      else if (features.size < LIMITS.features) features.set(key, { ...feature, did: new Set([run]) });
    }
  return [...features.values()];
}

function* featuresOfRun({ steps }: Run): Iterable<Omit<Feature, 'did'>> {
  const seen = new Set<string>();
  const done: string[] = [];
  for (const [at, { action, call }] of steps.entries()) {
    if (!seen.has(action) && seen.size < LIMITS.actions) {
      seen.add(action);
      for (const prior of done.slice(-LIMITS.priors)) yield { kind: 'before', action, prior };
      const before = steps[at - 1];
      if (before && before.action !== action && before.call.ok !== false)
        yield { kind: 'directly', action, prior: before.action };
    }
    if (call.ok !== false && !done.includes(action)) done.push(action);
  }
}

/** Empty unless runs that did it surely ended well more often than others of the same agents. */
function scored(feature: Feature, runs: readonly Run[], { minAgents, minOwners }: RunContrastSettings): Scored[] {
  const { action, prior, did } = feature;
  if (did.size < RULES.runs) return [];
  // A run that never takes the action may have another kind of task.
  const universe = runs.filter(usesOf(action));
  if (universe.length - did.size < RULES.runs) return [];
  const good = universe.filter((run) => run.good && did.has(run)).map(({ execution }) => execution);
  const without = universe.filter((run) => !did.has(run)).map(({ execution }) => execution);
  const distinct = (some: readonly RecordedExecution[], of: 'agentId' | 'owner' | 'origin'): number =>
    new Set(some.map((one) => one[of])).size;
  if (distinct(good, 'agentId') < minAgents || distinct(good, 'owner') < minOwners) return [];
  if (distinct(good, 'origin') < RULES.origins || distinct(without, 'agentId') < RULES.agents) return [];
  const within = differenceWithin(universe, did, ({ execution }) => execution.agentId);
  if (within === undefined || within.z < RULES.z || within.difference < RULES.difference) return [];
  const inTask = differenceWithin(universe, did, ({ execution }) => execution.origin);
  if (inTask !== undefined && inTask.z < RULES.tasks) return [];
  if (![action, prior].every(isShown)) return [];
  return [{ ...feature, universe, ...within }];
}

/** Mantel-Haenszel: the differences within strata, weighted by what they can tell; undefined if that is too little. */
function differenceWithin(
  runs: readonly Run[],
  did: ReadonlySet<Run>,
  stratumOf: (run: Run) => string,
): { difference: number; z: number } | undefined {
  const strata = new Map<string, { n1: number; y1: number; n0: number; y0: number }>();
  for (const run of runs) {
    const key = stratumOf(run);
    const one = strata.get(key) ?? { n1: 0, y1: 0, n0: 0, y0: 0 };
    const good = run.good ? 1 : 0;
    if (did.has(run)) strata.set(key, { ...one, n1: one.n1 + 1, y1: one.y1 + good });
    else strata.set(key, { ...one, n0: one.n0 + 1, y0: one.y0 + good });
  }
  let [sum, weight, variance] = [0, 0, 0];
  // In one order, so that sums of fractions are the same.
  for (const [, { n1, y1, n0, y0 }] of [...strata].sort((a, b) => compareText(a[0], b[0]))) {
    if (n1 === 0 || n0 === 0) continue;
    const own = (n1 * n0) / (n1 + n0);
    const rate = (y1 + y0) / (n1 + n0);
    sum += own * (y1 / n1 - y0 / n0);
    weight += own;
    variance += own * rate * (1 - rate);
  }
  return weight < RULES.weight || variance <= 0
    ? undefined
    : { difference: sum / weight, z: sum / Math.sqrt(variance) };
}

const usesOf =
  (action: string) =>
  ({ steps }: Run): boolean =>
    steps.some((step) => step.action === action);

const isShown = (action: string): boolean => action.length <= LIMITS.label && presentableError(action) === action;

/** The best contrast for each action; none of the same runs as a better one. */
function distinctContrasts(found: readonly Scored[]): Scored[] {
  const actions = new Set<string>();
  const sets = new Set<string>();
  return found
    .filter((one) => {
      const runs = [...one.did].map(({ execution }) => execution.id).join(' ');
      if (actions.has(one.action) || sets.has(runs)) return false;
      actions.add(one.action);
      sets.add(runs);
      return true;
    })
    .slice(0, RULES.most);
}

function contrastOf(one: Scored, values: PublicValues, keep: ReadonlySet<string>): RunContrast {
  const { kind, action, prior, did, universe, z, difference } = one;
  const arm = (some: readonly Run[]): Arm => ({ worked: some.filter(({ good }) => good).length, n: some.length });
  const outcome = {
    with: arm(universe.filter((run) => did.has(run))),
    without: arm(universe.filter((run) => !did.has(run))),
  };
  const own = matcherOf(action, did);
  return {
    key: keyOf(one),
    kind,
    action,
    prior,
    ...outcome,
    difference,
    z,
    predicate: { execution: { where: own, first: matcherOf(prior, did), before: own } },
    dossier: dossierOfRuns({
      signature: `${prior} ${kind === 'directly' ? 'directly ' : ''}before the first ${action}`,
      action,
      prior,
      universe,
      did,
      outcome,
      values,
      keep,
    }),
  };
}

/** The tool as well, if only one has the action. */
function matcherOf(action: string, did: ReadonlySet<Run>): Matcher {
  const tools = new Set<string>();
  for (const { steps } of did) for (const step of steps) if (step.action === action) tools.add(step.call.tool);
  const [tool = ''] = tools;
  return tools.size === 1 && /^\w{1,80}$/.test(tool) ? { tool, action } : { action };
}
