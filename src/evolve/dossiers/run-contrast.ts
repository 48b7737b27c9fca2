import type { Dossier } from '../../evidence/dossier/dossier.schema.js';
import type { Matcher, Predicate } from '../../evidence/predicate/predicate.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import { strataOf } from '../evidence/comparison.js';
import { inOrder, type RecordedCall, type RecordedExecution } from '../evidence/recorded-execution.js';
import { mantelHaenszel } from '../statistics/mantel-haenszel.js';
import { type DossierSample, dossierSample } from './dossier-builder.js';
import { presentableError } from './presentable-call.js';
import { dossierOfRuns } from './run-dossier.js';

/** A step before an action that judged runs took which ended well more often than others. */
export interface RunContrast {
  /** Stable over cycles: the actions. */
  readonly key: string;
  readonly action: string;
  /** The step before it. */
  readonly prior: string;
  readonly predicate: Predicate;
  readonly dossier: Dossier;
}

/** How good a contrast must be; agents and owners are those of runs that did it and ended well. */
export interface RunContrastSettings {
  readonly minAgentsForPattern: number;
  readonly minOwnersForPattern: number;
}

/** One way in which runs differ: a step before an action, and the runs that took it. */
interface Feature {
  readonly action: string;
  readonly prior: string;
  readonly did: Set<Run>;
}

/** A judged run with its steps: the coarse actions that could matter. */
interface Run {
  readonly execution: RecordedExecution;
  readonly steps: readonly Step[];
}

interface Step {
  readonly action: string;
  readonly call: RecordedCall;
}

const DEFAULTS: RunContrastSettings = { minAgentsForPattern: 3, minOwnersForPattern: 1 };
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
  const runs = [...executions].sort(inOrder).flatMap((execution): Run[] => {
    const steps = stepsOf(execution);
    return execution.succeeded === undefined || steps.length === 0 ? [] : [{ execution, steps }];
  });
  const found = featuresOf(runs).flatMap((feature) => scored(feature, runs, settings));
  found.sort((a, b) => b.z - a.z || compareText(keyOf(a), keyOf(b)));
  const chosen = distinctContrasts(found);
  if (chosen.length === 0) return [];
  const sample = dossierSample({ isMember: () => false, executions: runs.map(({ execution }) => execution) });
  return chosen.map((one) => contrastOf(one, sample));
}

interface Scored extends Feature {
  readonly universe: readonly Run[];
  readonly z: number;
}

const keyOf = ({ action, prior }: Omit<Feature, 'did'>): string => JSON.stringify(['before', action, prior]);

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
      const key = keyOf(feature);
      const known = features.get(key);
      if (known) known.did.add(run);
      else if (features.size < LIMITS.features) features.set(key, { ...feature, did: new Set([run]) });
    }
  return [...features.values()];
}

function* featuresOfRun({ steps }: Run): Iterable<Omit<Feature, 'did'>> {
  const seen = new Set<string>();
  const done: string[] = [];
  for (const { action, call } of steps) {
    if (!seen.has(action) && seen.size < LIMITS.actions) {
      seen.add(action);
      for (const prior of done.slice(-LIMITS.priors)) yield { action, prior };
    }
    if (call.ok !== false && !done.includes(action)) done.push(action);
  }
}

/** Empty unless runs that did it surely ended well more often than others of the same agents. */
function scored(
  feature: Feature,
  runs: readonly Run[],
  { minAgentsForPattern, minOwnersForPattern }: RunContrastSettings,
): Scored[] {
  const { action, prior, did } = feature;
  if (did.size < RULES.runs) return [];
  // A run that never takes the action may have another kind of task.
  const universe = runs.filter(usesOf(action));
  if (universe.length - did.size < RULES.runs) return [];
  const good = universe.flatMap((run) => (did.has(run) && run.execution.succeeded ? run.execution : []));
  const without = universe.filter((run) => !did.has(run)).map(({ execution }) => execution);
  const distinct = (some: readonly RecordedExecution[], of: 'agentId' | 'owner' | 'origin'): number =>
    new Set(some.map((one) => one[of])).size;
  if (distinct(good, 'agentId') < minAgentsForPattern || distinct(good, 'owner') < minOwnersForPattern) return [];
  if (distinct(good, 'origin') < RULES.origins || distinct(without, 'agentId') < RULES.agents) return [];
  const within = differenceWithin(universe, did, ({ agentId }) => agentId);
  if (within === undefined || within.z < RULES.z || within.value < RULES.difference) return [];
  const inTask = differenceWithin(universe, did, ({ origin }) => origin);
  if (inTask !== undefined && inTask.z < RULES.tasks) return [];
  if (![action, prior].every(isShown)) return [];
  return [{ ...feature, universe, z: within.z }];
}

/** The difference of the shares within strata; undefined if these can tell too little. */
function differenceWithin(
  runs: readonly Run[],
  did: ReadonlySet<Run>,
  stratumOf: (execution: RecordedExecution) => string,
) {
  const judged = runs.map((run) => {
    const { succeeded = false } = run.execution;
    return { stratum: stratumOf(run.execution), tried: did.has(run) ? { with: succeeded } : { without: succeeded } };
  });
  const found = mantelHaenszel(strataOf(judged));
  return found !== null && found.weight >= RULES.weight ? found : undefined;
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

function contrastOf({ action, prior, did, universe }: Scored, sample: DossierSample): RunContrast {
  const own = matcherOf(action, did);
  const idsOf = (runs: Iterable<Run>): Set<string> => new Set([...runs].map(({ execution }) => execution.id));
  return {
    key: keyOf({ action, prior }),
    action,
    prior,
    predicate: { execution: { where: own, first: matcherOf(prior, did), before: own } },
    dossier: dossierOfRuns({ action, prior, universe: idsOf(universe), did: idsOf(did) }, sample),
  };
}

/** The tool as well, if only one has the action. */
function matcherOf(action: string, did: ReadonlySet<Run>): Matcher {
  const tools = new Set<string>();
  for (const { steps } of did) for (const step of steps) if (step.action === action) tools.add(step.call.tool);
  const [tool = ''] = tools;
  return tools.size === 1 && /^\w{1,80}$/.test(tool) ? { tool, action } : { action };
}
