import { Injectable } from '@nestjs/common';
import { ApprovalQueue } from '../approvals/queue/approval-queue.service.js';
import { ExecutionTallies } from '../capture/store/execution-tallies.service.js';
import type { MemoryEntry } from '../memory/store/memory.schema.js';
import { OrgEntries } from '../memory/store/org-entries.service.js';
import { Clock } from '../platform/base/clock.js';
import { DAY_MS } from '../platform/base/durations.js';
import { receives } from '../skills/delivery/audience.js';
import { Rollouts } from '../skills/delivery/rollouts.service.js';
import { SkillUses } from '../skills/delivery/skill-uses.service.js';
import { type CoursePart, courseOf } from './skill-course.js';

/** The longest look back, and the shortest, so that a new skill is not a single stroke. */
const LONGEST_MS = 84 * DAY_MS;
const SHORTEST_MS = 6 * DAY_MS;
const PARTS = 12;
/** An execution starts before the failure in it is seen, and lasts at most so long. */
const FIRST_MS = 2 * DAY_MS;

export interface SkillCourse {
  readonly from: Date;
  readonly until: Date;
  readonly parts: readonly CoursePart[];
  readonly firstSeen: string | null;
  /** The id of the execution in which its failure was seen first, where it is still stored. */
  readonly firstExecution: string | null;
}

/** How a skill fares over time, from the first failure that it was learned from. It reads, and counts. */
@Injectable()
export class SkillCourses {
  constructor(
    private readonly clock: Clock,
    private readonly org: OrgEntries,
    private readonly queue: ApprovalQueue,
    private readonly tallies: ExecutionTallies,
    private readonly rollouts: Rollouts,
    private readonly uses: SkillUses,
  ) {}

  async of(name: string): Promise<SkillCourse> {
    const versions = await this.org.history(name);
    const patterns = await this.queue.patterns(versions.flatMap(({ approvalId }) => approvalId ?? []));
    const fingerprints = [...new Set([...patterns.values()].flatMap((pattern) => pattern.fingerprints))];
    const firstSeen = [...patterns.values()].flatMap((pattern) => pattern.firstSeen ?? []).sort()[0] ?? null;
    const until = this.clock.now();
    const since = Date.parse(firstSeen ?? versions[0]?.createdAt ?? until.toISOString());
    const from = new Date(Math.min(until.getTime() - SHORTEST_MS, Math.max(since, until.getTime() - LONGEST_MS)));
    const runs = await this.tallies.over(fingerprints, { from, until, parts: PARTS });
    const used = await this.uses.over(name, from, until, PARTS);
    const received = await this.receivers(name, versions);
    const middleOf = (part: number) => from.getTime() + ((part + 0.5) * (until.getTime() - from.getTime())) / PARTS;
    return {
      ...{ from, until, firstSeen },
      parts: courseOf(PARTS, used, runs, (agent, part) => received(agent, middleOf(part))),
      firstExecution: firstSeen === null ? null : await this.first(fingerprints, new Date(firstSeen)),
    };
  }

  private async first(fingerprints: readonly string[], seen: Date): Promise<string | null> {
    const id = await this.tallies.first(fingerprints, new Date(seen.getTime() - FIRST_MS), seen);
    return id ?? null;
  }

  /** Whether an agent received some version of the skill at a time. */
  private async receivers(name: string, versions: readonly MemoryEntry[]) {
    const stagesOf = await this.rollouts.stagesOf(versions.map(({ id }) => id));
    const lives = versions.map(({ id, createdAt, supersededAt }) => ({
      from: Date.parse(createdAt),
      until: supersededAt === null ? Number.POSITIVE_INFINITY : Date.parse(supersededAt),
      stages: stagesOf.get(id) ?? [],
    }));
    return (agentId: string, at: number): boolean => {
      const live = lives.find(({ from, until }) => from <= at && at < until);
      const stage = live?.stages.findLast(({ since }) => since.getTime() <= at);
      return live !== undefined && receives(stage?.percent ?? 100, name, agentId);
    };
  }
}
