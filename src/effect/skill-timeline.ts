import { sumBy } from '../platform/base/sum.js';

/** What happened in one part of the time that is looked at. */
export interface TimelineInterval {
  readonly offered: number;
  readonly loaded: number;
  readonly applied: number;
  /** Runs of agents that received the skill then, and those of them that met its failure. */
  readonly with: ExecutionCounts;
  /** The same of agents that did not: everybody before the approval, and whom a stage left out. */
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
 * The course of a skill over equal parts of time. `received` says whether an agent received it in the middle of a part.
 * It describes: agents before and after an approval differ in more than the skill, so that verdicts come from stages.
 */
export function timelineOf(
  parts: number,
  uses: readonly IntervalUses[],
  runs: readonly IntervalExecutions[],
  received: (agentId: string, part: number) => boolean,
): TimelineInterval[] {
  return Array.from({ length: parts }, (_, part) => {
    const used = (event: IntervalUses['event']): number =>
      uses.find((use) => use.part === part && use.event === event)?.uses ?? 0;
    const then = runs.filter((run) => run.part === part);
    return {
      ...{ offered: used('offered'), loaded: used('loaded'), applied: used('applied') },
      with: totalOf(then.filter(({ agentId }) => received(agentId, part))),
      without: totalOf(then.filter(({ agentId }) => !received(agentId, part))),
    };
  });
}

const totalOf = (runs: readonly ExecutionCounts[]): ExecutionCounts => ({
  executions: sumBy(runs, ({ executions }) => executions),
  failures: sumBy(runs, ({ failures }) => failures),
});
