import { Injectable } from '@nestjs/common';
import { ProposalQueue } from '../approvals/queue/proposal-queue.service.js';
import { ExecutionTallies } from '../capture/store/execution-tallies.service.js';
import type { MemoryEntry } from '../memory/store/memory.schema.js';
import { OrgEntries } from '../memory/store/org-entries.service.js';
import { Clock } from '../platform/base/clock.js';
import { DAY_MS } from '../platform/base/durations.js';
import { sumBy } from '../platform/base/sum.js';
import { receives } from '../skills/delivery/audience.js';
import { RolloutStages } from '../skills/delivery/rollout-stages.service.js';
import { SkillUses } from '../skills/delivery/skill-uses.service.js';

/** Bounds of the period shown. The minimum keeps a new skill from being a single bar. */
const LONGEST_MS = 84 * DAY_MS;
const SHORTEST_MS = 6 * DAY_MS;
const PARTS = 12;
/** An execution starts before its failure is recorded, and lasts at most this long. */
const FIRST_MS = 2 * DAY_MS;

export interface SkillTimelineData {
  readonly from: Date;
  readonly until: Date;
  readonly parts: readonly TimelineInterval[];
  readonly firstSeen: string | null;
  /** Id of the execution in which its failure was first seen; null if it is no longer stored. */
  readonly firstExecution: string | null;
}

/** Uses and failures of a skill over time, from the first failure that it was learned from. Reads only. */
@Injectable()
export class SkillTimeline {
  constructor(
    private readonly clock: Clock,
    private readonly org: OrgEntries,
    private readonly queue: ProposalQueue,
    private readonly tallies: ExecutionTallies,
    private readonly rollouts: RolloutStages,
    private readonly uses: SkillUses,
  ) {}

  async of(name: string): Promise<SkillTimelineData> {
    const versions = await this.org.history(name);
    const patterns = await this.queue.patterns(versions.flatMap(({ proposalId }) => proposalId ?? []));
    const fingerprints = [...new Set([...patterns.values()].flatMap((pattern) => pattern.fingerprints))];
    const firstSeen = [...patterns.values()].flatMap((pattern) => pattern.firstSeen ?? []).sort()[0] ?? null;
    const until = this.clock.now();
    const since = Date.parse(firstSeen ?? versions[0]?.createdAt ?? until.toISOString());
    const from = new Date(Math.min(until.getTime() - SHORTEST_MS, Math.max(since, until.getTime() - LONGEST_MS)));
    const runs = await this.tallies.countFailuresByPart(fingerprints, { from, until, parts: PARTS });
    const uses = await this.uses.countsPerInterval(name, from, until, PARTS);
    const received = await this.receivers(name, versions);
    const middleOf = (part: number) => from.getTime() + ((part + 0.5) * (until.getTime() - from.getTime())) / PARTS;
    return {
      from,
      until,
      firstSeen,
      parts: timelineOf(PARTS, uses, runs, (agent, part) => received(agent, middleOf(part))),
      firstExecution: firstSeen === null ? null : await this.firstExecution(fingerprints, new Date(firstSeen)),
    };
  }

  private async firstExecution(fingerprints: readonly string[], seen: Date): Promise<string | null> {
    const id = await this.tallies.findFirst(fingerprints, new Date(seen.getTime() - FIRST_MS), seen);
    return id ?? null;
  }

  /** Returns a test of whether an agent received any version of the skill at a time (epoch milliseconds). */
  private async receivers(name: string, versions: readonly MemoryEntry[]) {
    const stagesOf = await this.rollouts.stagesOf(versions.map(({ id }) => id));
    const lifetimes = versions.map(({ id, createdAt, supersededAt }) => ({
      from: Date.parse(createdAt),
      until: supersededAt === null ? Number.POSITIVE_INFINITY : Date.parse(supersededAt),
      stages: stagesOf.get(id) ?? [],
    }));
    return (agentId: string, at: number): boolean => {
      const live = lifetimes.find(({ from, until }) => from <= at && at < until);
      const stage = live?.stages.findLast(({ since }) => since.getTime() <= at);
      return live !== undefined && receives(stage?.percent ?? 100, name, agentId);
    };
  }
}

/** Counts of one interval of the period shown. */
interface TimelineInterval {
  readonly offered: number;
  readonly loaded: number;
  readonly applied: number;
  /** Executions of agents that received the skill in the interval, and those of them with its failure. */
  readonly with: ExecutionCounts;
  /** The same for agents that did not receive it: every agent before the approval, and those that a stage left out. */
  readonly without: ExecutionCounts;
}

interface ExecutionCounts {
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
