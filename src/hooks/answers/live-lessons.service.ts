import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ProposalQueue } from '../../approvals/queue/proposal-queue.service.js';
import { type CallGate, callGateOf } from '../../evidence/predicate/call-gate.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import type { MemoryCursor } from '../../memory/store/recallable-memory.js';
import { FreshCache } from '../../platform/background/fresh-cache.js';
import { Clock } from '../../platform/base/clock.js';
import { compareText } from '../../platform/base/compare-text.js';
import { type RolloutPercent, receives } from '../../skills/delivery/audience.js';
import { RolloutStages } from '../../skills/delivery/rollout-stages.service.js';
import { AdviceIndex, type PreparedAdvice, prepareAdvice } from '../advice/advice-index.js';
import { type Advisable, strengthOf } from '../advice/advisable.js';

/** A live skill, as far as its delivery needs it. */
export type LiveSkill = Pick<MemoryEntry, 'id' | 'lesson' | 'skillName' | 'version' | 'proposalId'>;

/** A skill that can answer a failed call. */
export interface AdvisableSkill extends Advisable {
  readonly entry: LiveSkill;
  /** Executions that it was not learned from confirmed it. */
  readonly isTested: boolean;
}

/** A skill that reviewers marked as a gate. */
export interface GateSkill {
  readonly entry: LiveSkill;
  readonly strength: number;
  readonly gate: CallGate;
}

export interface LiveLessons {
  /** By name. */
  readonly skills: readonly LiveSkill[];
  readonly advice: AdviceIndex<AdvisableSkill>;
  /** The strongest first. */
  readonly gates: readonly GateSkill[];
  /** Whether the agent receives the skill at its stage of the rollout. */
  receives(skill: LiveSkill, agentId: string): boolean;
}

interface PreparedSkill {
  readonly entry: LiveSkill;
  readonly advice: PreparedAdvice<AdvisableSkill> | undefined;
  readonly gate: GateSkill | undefined;
}

/** A decision of any process has an effect within this time. */
const MAX_STALENESS_MS = 1_000;
/** The strength of a gate that nothing was counted for. */
const WEAKEST = -1;

/**
 * The live skills in memory, with the conditions under which they answer a failure, kept in step with the commits of all
 * processes. Only a skill that executions confirmed answers a failure.
 */
@Injectable()
export class LiveLessonCache implements OnApplicationBootstrap {
  private readonly fresh: FreshCache<LiveLessons>;
  private readonly skills = new Map<string, PreparedSkill>();
  private lessons: LiveLessons | undefined;
  private cursor: MemoryCursor | undefined;

  constructor(
    clock: Clock,
    private readonly org: OrgEntries,
    private readonly reading: MemoryReadService,
    private readonly queue: ProposalQueue,
    private readonly rollouts: RolloutStages,
  ) {
    this.fresh = new FreshCache(
      // Not stale at each transaction of this process: every event is one, and few of them change a skill.
      () => ({ at: clock.now().getTime(), endedTransactions: 0 }),
      MAX_STALENESS_MS,
      () => this.read(),
    );
  }

  /** Read before the first event, which must not wait for it. */
  async onApplicationBootstrap(): Promise<void> {
    await this.get();
  }

  get(): Promise<LiveLessons> {
    return this.fresh.get();
  }

  private async read(): Promise<LiveLessons> {
    const percents = await this.rollouts.partialPercents();
    const isChanged = await this.catchUp();
    const receives = receiverOf(percents);
    this.lessons = isChanged || !this.lessons ? this.assemble(receives) : { ...this.lessons, receives };
    return this.lessons;
  }

  /** Reads the skills that changed. Returns whether any did. */
  private async catchUp(): Promise<boolean> {
    const isFirst = this.cursor === undefined;
    const { cursor, changes } =
      this.cursor === undefined
        ? { cursor: await this.reading.cursor(), changes: [] }
        : await this.reading.changes(this.cursor);
    const changed = changes.flatMap(({ id, group }) => (group === 'org' ? [id] : []));
    const live = isFirst ? await this.org.live() : await this.reading.live(changed, 'org');
    const ended = changes.filter(({ id }) => this.skills.delete(id));
    for (const skill of await this.prepare(live)) this.skills.set(skill.entry.id, skill);
    this.cursor = cursor;
    return live.length + ended.length > 0;
  }

  private async prepare(entries: readonly LiveSkill[]): Promise<PreparedSkill[]> {
    const claims = await this.queue.predicates(entries.flatMap(({ proposalId }) => proposalId ?? []));
    return entries.map((entry) => {
      const claim = claims.get(entry.proposalId ?? '');
      if (!claim) return { entry, advice: undefined, gate: undefined };
      const { predicate, check, isGate } = claim;
      const strength = check ? strengthOf(check) : WEAKEST;
      const gate = isGate ? callGateOf(predicate) : undefined;
      const { id, lesson } = entry;
      return {
        entry,
        advice:
          check &&
          prepareAdvice({
            id,
            entry,
            predicate,
            binding: lesson.binding,
            strength,
            isTested: check.verdict === 'confirmed',
          }),
        gate: gate && { entry, strength, gate },
      };
    });
  }

  private assemble(receives: LiveLessons['receives']): LiveLessons {
    const skills = [...this.skills.values()];
    return {
      skills: skills.map(({ entry }) => entry).sort((a, b) => compareText(a.skillName ?? '', b.skillName ?? '')),
      advice: new AdviceIndex(skills.flatMap(({ advice }) => advice ?? [])),
      gates: skills
        .flatMap(({ gate }) => gate ?? [])
        .sort((a, b) => b.strength - a.strength || compareText(a.entry.id, b.entry.id)),
      receives,
    };
  }
}

const receiverOf =
  (percents: ReadonlyMap<string, RolloutPercent>): LiveLessons['receives'] =>
  ({ id, skillName }, agentId) =>
    receives(percents.get(id) ?? 100, skillName ?? '', agentId);
