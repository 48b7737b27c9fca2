import { patternFingerprint } from '../../capture/observations/fingerprint.js';
import type { ExecutionObservations } from '../../capture/observations/observation.js';
import type { Workflow } from '../../capture/observations/workflow.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { Counts } from '../evidence/counts.js';
import type { Ledger } from '../evidence/ledger.js';
import { type EvidenceCounts, incrementCount, PatternEvidence } from '../evidence/pattern-evidence.js';
import { type Proportion, wilson } from '../statistics/wilson.js';
import type { Alternative } from './contrast.js';

/**
 * A step that successful executions take before an action, and others do not. `before` is one step, or all steps of a
 * short workflow joined by ` > `.
 */
export interface SuccessPattern {
  readonly tool: 'shell';
  readonly action: string;
  readonly before: string;
  readonly fingerprint: string;
  /**
   * Agents, origins and owners of the successful executions with the step; executions and failures of the failed ones
   * without it.
   */
  readonly counts: EvidenceCounts;
  /** Executions that used the action and have a verification. */
  readonly using: number;
  /** The success rate of executions with the step, and of those without it. */
  readonly chosen: Alternative;
  readonly without: Proportion;
  /** The numbers of the successful executions with the step in the ledger. */
  readonly executions: Counts;
}

/**
 * Among many steps before many actions, some differ by chance. So the two 95 % intervals must be disjoint, with at
 * least `executions` on either side and at least `agentsWithout` agents without the step.
 */
export const SUCCESS_SETTINGS = { executions: 6, agentsWithout: 2, shortest: 2, longest: 4 } as const;
/** Hostile reports can invent any number of actions. Above these limits, further ones are not recorded. */
const LIMITS = { goals: 2_000, steps: 200, perExecution: 20 } as const;

export interface SuccessSettings {
  readonly minAgentsForPattern: number;
  readonly minOwnersForPattern: number;
}

interface OutcomeTally {
  executions: number;
  succeeded: number;
  /** The successful executions. */
  readonly succeededEvidence: PatternEvidence;
  /** The number of all executions by agent. */
  readonly agents: Map<number, number>;
}

interface ActionTally {
  readonly all: OutcomeTally;
  readonly steps: Map<string, OutcomeTally>;
}

/** Counts the steps that precede an action, one execution at a time, and removes executions that leave the window. */
export class SuccessMiner {
  private readonly goals = new Map<string, ActionTally>();

  constructor(private readonly ledger: Ledger) {}

  /** `times`: 1, or -1 to take it back. The execution must be in the ledger. */
  count({ workflow, model }: ExecutionObservations, execution: number, times: 1 | -1): void {
    if (!workflow) return;
    for (const [action, before] of precedingSteps(workflow)) {
      let goal = this.goals.get(action);
      if (!goal) {
        if (times < 0 || this.goals.size >= LIMITS.goals) continue;
        goal = { all: this.emptyTally(), steps: new Map() };
        this.goals.set(action, goal);
      }
      this.countIn(goal.all, workflow.succeeded, execution, model, times);
      for (const step of before) {
        const known =
          goal.steps.get(step) ?? (times > 0 && goal.steps.size < LIMITS.steps ? this.emptyTally() : undefined);
        if (!known) continue;
        goal.steps.set(step, known);
        this.countIn(known, workflow.succeeded, execution, model, times);
        if (known.executions <= 0) goal.steps.delete(step);
      }
      if (goal.all.executions <= 0) this.goals.delete(action);
    }
  }

  recount(): void {
    for (const { steps } of this.goals.values())
      for (const { succeededEvidence: good } of steps.values()) good.invalidate();
  }

  /**
   * Returns at most one pattern for an action: the step with the best evidence. A sequence is preferred only if it is
   * surely better.
   */
  patterns(settings: SuccessSettings): SuccessPattern[] {
    const found = [...this.goals].flatMap(([action, goal]) => {
      const steps = [...goal.steps]
        .flatMap(([before, side]) => this.patternOf(action, before, side, goal.all, settings))
        .sort(byEvidence);
      const single = steps.find((one) => !isSequence(one));
      const sequence = steps.find(isSequence);
      const surelyBetter = sequence && single && sequence.chosen.outcome.lower > single.chosen.outcome.upper;
      const best = single === undefined || surelyBetter ? sequence : single;
      return best ? [best] : [];
    });
    // The steps of a sequence are not proposed against each other as well.
    const parts = found.filter(isSequence).map(({ before, action }) => [...before.split(' > '), action]);
    const isPart = (one: SuccessPattern): boolean =>
      !isSequence(one) && parts.some((steps) => steps.includes(one.before) && steps.includes(one.action));
    return found.filter((one) => !isPart(one)).sort((a, b) => compareText(a.fingerprint, b.fingerprint));
  }

  private patternOf(
    action: string,
    before: string,
    side: OutcomeTally,
    all: OutcomeTally,
    settings: SuccessSettings,
  ): SuccessPattern[] {
    const outcome = wilson(side.succeeded, side.executions);
    const without = wilson(all.succeeded - side.succeeded, all.executions - side.executions);
    const few = Math.min(outcome.n, without.n) < SUCCESS_SETTINGS.executions;
    if (few || outcome.lower <= without.upper || agentsWithout(all, side) < SUCCESS_SETTINGS.agentsWithout) return [];
    if (!side.succeededEvidence.hasAtLeast(settings.minAgentsForPattern, settings.minOwnersForPattern)) return [];
    const failedWithout = without.n - without.successes;
    const chosen: Alternative = {
      how: 'precede',
      action: before,
      label: `${before.split(' > ').join(', then ')} first`,
      granularity: 'coarse',
      outcome,
      agents: side.agents.size,
      successAgents: side.succeededEvidence.agents,
      verified: side.succeeded,
      lift: outcome.rate - without.rate,
      forms: [],
    };
    return [
      {
        tool: 'shell',
        action,
        before,
        // One lesson for an action: another step is another action against the same pattern.
        fingerprint: patternFingerprint({ tool: 'shell', action, errorClass: SUCCESS }),
        counts: { ...side.succeededEvidence.counts(), executions: failedWithout, failures: failedWithout },
        using: all.executions,
        chosen,
        without,
        executions: side.succeededEvidence.executionIds,
      },
    ];
  }

  private emptyTally(): OutcomeTally {
    return { executions: 0, succeeded: 0, succeededEvidence: new PatternEvidence(this.ledger), agents: new Map() };
  }

  private countIn(
    side: OutcomeTally,
    good: boolean,
    execution: number,
    model: string | undefined,
    times: 1 | -1,
  ): void {
    side.executions += times;
    incrementCount(side.agents, this.ledger.agentAt(execution), times);
    if (!good) return;
    side.succeeded += times;
    const item = { execution, model, failures: 1 };
    if (times > 0) side.succeededEvidence.addExecution(item);
    else side.succeededEvidence.removeExecution(item);
  }
}

/** Used in place of an error class; no class has this name. */
export const SUCCESS = '* succeeds';

const isSequence = ({ before }: SuccessPattern): boolean => before.includes(' > ');

/**
 * Returns, for each action, the successful steps before its first use; for the last action of a short workflow, also
 * all of them as one sequence.
 */
export function precedingSteps({ steps }: Workflow): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const done: string[] = [];
  for (const { action, ok } of steps) {
    if (!found.has(action) && found.size < LIMITS.perExecution)
      found.set(action, new Set(done.filter((one) => one !== action).slice(-LIMITS.perExecution)));
    if (ok && !done.includes(action)) done.push(action);
  }
  const last = steps.at(-1);
  const before = steps.slice(0, -1);
  const { shortest, longest } = SUCCESS_SETTINGS;
  if (last && before.length >= shortest && before.length < longest && before.every(({ ok }) => ok))
    found.get(last.action)?.add(before.map(({ action }) => action).join(' > '));
  return found;
}

function agentsWithout(all: OutcomeTally, side: OutcomeTally): number {
  return [...all.agents].filter(([agent, executions]) => executions > (side.agents.get(agent) ?? 0)).length;
}

function byEvidence(a: SuccessPattern, b: SuccessPattern): number {
  return (
    b.chosen.outcome.lower - a.chosen.outcome.lower ||
    b.chosen.outcome.n - a.chosen.outcome.n ||
    compareText(a.before, b.before)
  );
}
