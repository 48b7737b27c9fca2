import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ProposalQueue } from '../../approvals/queue/proposal-queue.service.js';
import { callGateOf } from '../../evidence/predicate/call-gate.js';
import type { CallTest } from '../../evidence/predicate/compiled-predicate.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { FreshCache } from '../../platform/background/fresh-cache.js';
import { Clock } from '../../platform/base/clock.js';
import { compareText } from '../../platform/base/compare-text.js';
import { type RolloutPercent, receives } from '../../skills/delivery/audience.js';
import { RolloutStages } from '../../skills/delivery/rollout-stages.service.js';
import { AdviceIndex } from '../advice/advice-index.js';
import { type Advisable, strengthOf } from '../advice/advisable.js';

/** A live skill, and what it claims if it can answer a failure. */
export interface LiveSkill {
  readonly entry: MemoryEntry;
  readonly percent: RolloutPercent;
}

/** A skill that can answer a failed call. */
export interface AdvisableSkill extends Advisable, LiveSkill {}

/** A skill that reviewers marked as a gate. */
export interface GateSkill extends LiveSkill {
  readonly strength: number;
  /** Of a call that has not run. */
  readonly refuses: CallTest;
}

export interface LiveLessons {
  /** By name. */
  readonly skills: readonly LiveSkill[];
  readonly advice: AdviceIndex<AdvisableSkill>;
  /** The strongest first. */
  readonly gates: readonly GateSkill[];
}

/** A decision of any process has an effect within this time. */
const MAX_STALENESS_MS = 1_000;
/** The strength of a gate that nothing was counted for. */
const WEAKEST = -1;
/** A cursor after every possible change. */
const NO_CHANGES = 2n ** 62n;

/**
 * The live skills in memory, with the conditions under which they answer a failure: read again when org memory or a
 * rollout changes. Only a skill that executions confirmed answers a failure.
 */
@Injectable()
export class LiveLessonCache implements OnApplicationBootstrap {
  private readonly fresh: FreshCache<LiveLessons>;
  private current: { readonly lessons: LiveLessons; readonly key: string } | undefined;
  private cursor = NO_CHANGES;
  private seen = new Set<string>();

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

  /** Reads what changed, and the skills only if one of them did. */
  private async read(): Promise<LiveLessons> {
    const percents = await this.rollouts.partialPercents();
    const key = JSON.stringify([...percents].sort(([a], [b]) => compareText(a, b)));
    const { cursor, changes } = await this.reading.changes(this.cursor);
    const fresh = changes.filter(({ transaction, id }) => !this.seen.has(`${transaction} ${id}`));
    const isChanged = fresh.length > 0 && (await this.touchesOrg(fresh.map(({ id }) => id)));
    const known = this.current;
    if (known === undefined || isChanged || known.key !== key)
      this.current = { lessons: await this.readAll(percents), key };
    // These are returned again until the oldest running transaction ends.
    this.seen = new Set(changes.map(({ transaction, id }) => `${transaction} ${id}`));
    this.cursor = cursor;
    return this.current?.lessons ?? this.readAll(percents);
  }

  private async touchesOrg(ids: readonly string[]): Promise<boolean> {
    const held = new Set(this.current?.lessons.skills.map(({ entry }) => entry.id));
    if (ids.some((id) => held.has(id))) return true;
    return (await this.reading.live(ids)).some(({ scope }) => scope === 'org');
  }

  private async readAll(percents: ReadonlyMap<string, RolloutPercent>): Promise<LiveLessons> {
    const entries = (await this.org.live()).sort((a, b) => compareText(a.skillName ?? '', b.skillName ?? ''));
    const claims = await this.queue.predicates(entries.flatMap(({ proposalId }) => proposalId ?? []));
    const skills = entries.map((entry) => ({ entry, percent: percents.get(entry.id) ?? (100 as const) }));
    const advisable = skills.flatMap((skill): AdvisableSkill[] => {
      const { id, proposalId, lesson } = skill.entry;
      const claim = claims.get(proposalId ?? '');
      if (claim?.check?.verdict !== 'confirmed') return [];
      const { predicate, check } = claim;
      return [{ ...skill, id, predicate, binding: lesson.binding, strength: strengthOf(check) }];
    });
    const gates = skills.flatMap((skill): GateSkill[] => {
      const claim = claims.get(skill.entry.proposalId ?? '');
      const refuses = claim?.isGate ? callGateOf(claim.predicate) : undefined;
      return refuses ? [{ ...skill, strength: claim?.check ? strengthOf(claim.check) : WEAKEST, refuses }] : [];
    });
    return { skills, advice: new AdviceIndex(advisable), gates: gates.sort((a, b) => b.strength - a.strength) };
  }
}

/** Whether the agent receives the skill at its stage of the rollout. */
export const isReceivedBy = ({ entry, percent }: LiveSkill, agentId: string): boolean =>
  receives(percent, entry.skillName ?? '', agentId);
