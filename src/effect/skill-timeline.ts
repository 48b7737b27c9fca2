import { sumBy } from '../platform/base/sum.js';

/** Counts of one interval of the period shown. */
export interface TimelineInterval {
  readonly offered: number;
  readonly loaded: number;
  readonly applied: number;
  /** Executions of agents that received the skill in the interval, and those of them with its failure. */
  readonly with: ExecutionCounts;
  /** The same for agents that did not receive it: every agent before the approval, and those that a stage left out. */
  readonly without: ExecutionCounts;
}

export interface ExecutionCounts {
  readonly executions: number;
  readonly failures: number;
}

interface IntervalUses {
  readonly event: 'offered' | 'loaded' | 'applied';
  readonly part: number;
  readonly uses: number;
}

interface IntervalExecutions extends ExecutionCounts {
  readonly agentId: string;
  readonly part: number;
}

/**
 * Divides the period into equal intervals. `received` says whether an agent received the skill in the middle of an
 * interval. The counts only describe: agents before and after an approval differ in more than the skill, so verdicts
 * come from stages.
 */
export function timelineOf(
  parts: number,
  uses: readonly IntervalUses[],
  runs: readonly IntervalExecutions[],
  received: (agentId: string, part: number) => boolean,
): TimelineInterval[] {
  return Array.from({ length: parts }, (_, part) => {
    const usesOf = (event: IntervalUses['event']): number =>
      uses.find((use) => use.part === part && use.event === event)?.uses ?? 0;
    const current = runs.filter((run) => run.part === part);
    return {
      offered: usesOf('offered'),
      loaded: usesOf('loaded'),
      applied: usesOf('applied'),
      with: totalOf(current.filter(({ agentId }) => received(agentId, part))),
      without: totalOf(current.filter(({ agentId }) => !received(agentId, part))),
    };
  });
}

const totalOf = (runs: readonly ExecutionCounts[]): ExecutionCounts => ({
  executions: sumBy(runs, ({ executions }) => executions),
  failures: sumBy(runs, ({ failures }) => failures),
});
