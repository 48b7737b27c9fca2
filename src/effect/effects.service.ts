import { Injectable } from '@nestjs/common';
import { ProposalQueue } from '../approvals/queue/proposal-queue.service.js';
import { ExecutionTallies } from '../capture/store/execution-tallies.service.js';
import type { MemoryEntry } from '../memory/store/memory.schema.js';
import { OrgEntries } from '../memory/store/org-entries.service.js';
import { compareText } from '../platform/base/compare-text.js';
import { DomainError } from '../platform/base/domain.errors.js';
import { sumBy } from '../platform/base/sum.js';
import { receives } from '../skills/delivery/audience.js';
import { Deliveries } from '../skills/delivery/deliveries.service.js';
import { type DeliveryTally, MOMENTS, type Moment } from '../skills/delivery/delivery-tally.js';
import { RolloutStages, toRollout } from '../skills/delivery/rollout-stages.service.js';
import { SkillUses } from '../skills/delivery/skill-uses.service.js';
import { type AgentTally, type Effect, type EffectArm, effectOf } from './effect.js';
import type { DeliveredByMoment, EffectList, SkillEffect } from './effect.schema.js';

type Stages = Awaited<ReturnType<RolloutStages['stagesOf']>>;
type StageRow = NonNullable<ReturnType<Stages['get']>>[number];
type UseCounts = Awaited<ReturnType<SkillUses['counts']>>;

/**
 * Measures whether skills help: compares failures of agents that receive a skill with those of agents that do not.
 * Reads only.
 */
@Injectable()
export class Effects {
  constructor(
    private readonly org: OrgEntries,
    private readonly queue: ProposalQueue,
    private readonly tallies: ExecutionTallies,
    private readonly rollouts: RolloutStages,
    private readonly uses: SkillUses,
    private readonly deliveries: Deliveries,
  ) {}

  /** Effect of the last version of a skill, retired ones included. Throws `not_found`. */
  async forSkill(name: string): Promise<SkillEffect> {
    const entry = (await this.org.history(name)).at(-1);
    if (!entry) throw new DomainError('not_found', 'skill.not_found', `There is no skill "${name}".`);
    const stages = (await this.rollouts.stagesOf([entry.id])).get(entry.id) ?? [];
    return this.describe(entry, stages, await this.uses.counts(name));
  }

  /** Effects of all live skills, by name. */
  async forLiveSkills(): Promise<EffectList> {
    const entries = (await this.org.live()).sort(byName);
    const stages = await this.rollouts.stagesOf(entries.map(({ id }) => id));
    const counts = new Map<string, UseCounts>();
    for (const count of await this.uses.counts())
      counts.set(count.skillName, [...(counts.get(count.skillName) ?? []), count]);
    const items: SkillEffect[] = [];
    for (const entry of entries)
      items.push(await this.describe(entry, stages.get(entry.id) ?? [], counts.get(entry.skillName ?? '') ?? []));
    return { items, total: items.length };
  }

  /** What hooks delivered of all lessons, by moment. */
  async byMoment(): Promise<DeliveredByMoment> {
    return { moments: momentEffects(await this.deliveries.tallies()).map(describedMoment) };
  }

  /** The live skills that harm. Comparisons that ended before `since` are not computed again. */
  async harming(since: Date): Promise<{ entry: MemoryEntry; effect: Effect }[]> {
    const entries = new Map((await this.org.live()).map((entry) => [entry.id, entry]));
    const found: { entry: MemoryEntry; effect: Effect }[] = [];
    for (const [memoryId, stages] of await this.rollouts.withheld()) {
      const entry = entries.get(memoryId);
      if (!entry || stages.every(({ until }) => until !== null && until < since)) continue;
      const effect = await this.compare(entry, stages);
      const atFailure = (await this.momentsOf(entry)).find(({ moment }) => moment === 'failure')?.effect;
      const harm = [effect, atFailure].find((one) => one?.verdict === 'harms');
      if (harm) found.push({ entry, effect: harm });
    }
    return found.sort((a, b) => byName(a.entry, b.entry));
  }

  private async describe(entry: MemoryEntry, stages: readonly StageRow[], counts: UseCounts): Promise<SkillEffect> {
    const withheld = stages.filter(({ percent }) => percent < 100).map((stage) => closeStage(entry, stage));
    const effect = await this.compare(entry, withheld);
    const rollout = toRollout(entry, stages.at(-1));
    const over = rollout.percent === 100 || entry.supersededAt !== null;
    const versionCounts = counts.filter(({ version }) => version === entry.version);
    return {
      ...rollout,
      live: entry.supersededAt === null,
      compared: withheld.map(({ percent, since, until }) => ({
        percent,
        since: since.toISOString(),
        until: until?.toISOString() ?? null,
      })),
      figures: figuresOf(effect),
      says: describeEffect(effect, { compared: withheld.length > 0, over }),
      uses: { ...usesOf(versionCounts), withheldAgents: await this.withheldUsers(withheld) },
      moments: (await this.momentsOf(entry)).map(describedMoment),
    };
  }

  private async momentsOf({ skillName, version }: MemoryEntry): Promise<MomentEffect[]> {
    return momentEffects(await this.deliveries.tallies({ name: skillName ?? '', version: version ?? 1 }));
  }

  /**
   * Intention to treat: an agent's executions count for the arm that its bucket assigns, regardless of its behaviour.
   * An execution belongs to the stage in which it started. Stages are compared each within itself, so moving to the
   * next stage keeps earlier data.
   */
  private async compare(entry: MemoryEntry, withheld: readonly StageRow[]): Promise<Effect> {
    if (withheld.length === 0 || entry.proposalId === null) return effectOf([]);
    // Agents of other owners received it later than a stage began, or never, so they belong to neither arm.
    const boundTo = (await this.rollouts.sourceOwners([entry.id])).get(entry.id);
    const pattern = (await this.queue.patterns([entry.proposalId])).get(entry.proposalId);
    const tallies: AgentTally[] = [];
    for (const stage of withheld) {
      const { id, percent, skillName, since, until } = closeStage(entry, stage);
      for (const { agentId, ...counts } of await this.tallies.countFailures(pattern?.fingerprints ?? [], since, until))
        if (!boundTo || boundTo.agentIds.has(agentId))
          tallies.push({ agent: agentId, withSkill: receives(percent, skillName, agentId), stage: id, ...counts });
    }
    return effectOf(tallies);
  }

  /** Counts the agents that the ramp left out and that used the skill from a git clone, which contains every skill. */
  private async withheldUsers(withheld: readonly StageRow[]): Promise<number> {
    const agents = new Set<string>();
    for (const stage of withheld)
      for (const agent of await this.uses.activeAgents(stage))
        if (!receives(stage.percent, stage.skillName, agent)) agents.add(agent);
    return agents.size;
  }
}

const figuresOf = (effect: Effect): SkillEffect['figures'] => ({
  ...effect,
  interval: effect.interval ? [...effect.interval] : null,
});

const describedMoment = ({ effect, ...moment }: MomentEffect): DeliveredByMoment['moments'][number] => ({
  ...moment,
  figures: effect ? figuresOf(effect) : null,
});

/** Ends the open stage of a version that was replaced or retired. */
function closeStage({ supersededAt }: MemoryEntry, stage: StageRow): StageRow {
  return stage.until === null && supersededAt !== null ? { ...stage, until: new Date(supersededAt) } : stage;
}

function usesOf(counts: UseCounts): Omit<SkillEffect['uses'], 'withheldAgents'> {
  const total = (matches: (count: UseCounts[number]) => boolean): number =>
    sumBy(counts.filter(matches), ({ uses }) => uses);
  const ended = (outcome: UseCounts[number]['outcome']): number =>
    total((count) => count.event === 'applied' && count.outcome === outcome);
  return {
    offered: total(({ event }) => event === 'offered'),
    loaded: total(({ event }) => event === 'loaded'),
    applied: total(({ event }) => event === 'applied'),
    outcomes: { success: ended('success'), failure: ended('failure'), unknown: ended('unknown') },
    agents: new Set(counts.map(({ agentId }) => agentId)).size,
  };
}

function byName(a: MemoryEntry, b: MemoryEntry): number {
  return compareText(a.skillName ?? '', b.skillName ?? '');
}

const VERDICTS = {
  helps: 'It helps',
  'no-difference-yet': 'No difference yet',
  harms: 'It harms',
  'not-enough-data': 'Not enough data',
} as const;

/**
 * Describes the effect in one sentence. `compared`: some agents did not receive the skill at some time; `over`: every
 * agent receives it now.
 */
export function describeEffect(effect: Effect, { compared, over }: { compared: boolean; over: boolean }): string {
  if (!compared) return 'Every agent has received it from the start, so there is no comparison.';
  const prefix = over ? 'Every agent receives it now; these figures are from before. ' : '';
  const arms = `the failure occurred in ${describeArm(effect.with)} with it and in ${describeArm(effect.without)} without`;
  return `${prefix}${VERDICTS[effect.verdict]}: ${arms}${describeInterval(effect)}.`;
}

function describeArm({ agents, executions, failures, rate }: EffectArm): string {
  const counts = `${failures} of ${plural(executions, 'execution')} of ${plural(agents, 'agent')}`;
  return rate === null ? counts : `${counts} (${percent(rate)} %)`;
}

function describeInterval({ interval, level }: Effect): string {
  if (!interval) return '';
  const [low, high] = interval;
  return `; the difference is between ${percent(low)} and ${percent(high)} percentage points (${percent(level)} %, at every look)`;
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const percent = (share: number): string => (share * 100).toFixed(1).replace(/\.0$/, '');

/** The deliveries of one arm at one moment. Shares and means are null without anything to divide by. */
interface MomentArm {
  readonly agents: number;
  readonly deliveries: number;
  /** Those whose session has been reported and shows the failure. */
  readonly judged: number;
  readonly followed: number;
  readonly overcome: number;
  /** Of those in which the action worked in the end. */
  readonly meanCalls: number | null;
  readonly meanSeconds: number | null;
  /** In how many the failure came again in the session, and in a later one of the agent. */
  readonly again: number;
  readonly later: number;
}

/** What was delivered at a moment; after a failure also whether it helps, compared with agents from whom it was withheld. */
interface MomentEffect {
  readonly moment: Moment;
  readonly delivered: MomentArm;
  readonly withheld: MomentArm;
  /** Failures are those that were not overcome; undefined at other moments. */
  readonly effect: Effect | undefined;
}

/**
 * Effects by moment, those with deliveries. After a failure the unit is the agent, as it is assigned, and the interval
 * holds at every look.
 */
export function momentEffects(tallies: readonly DeliveryTally[]): MomentEffect[] {
  return MOMENTS.flatMap((moment) => {
    const own = tallies.filter((one) => one.moment === moment);
    if (own.length === 0) return [];
    const [delivered, withheld] = [armOf(own, 'delivered'), armOf(own, 'withheld')];
    return [{ moment, delivered, withheld, effect: moment === 'failure' ? effectOf(own.map(agentTally)) : undefined }];
  });
}

const agentTally = ({ agentId, arm, judged, overcome }: DeliveryTally) => ({
  agent: agentId,
  withSkill: arm === 'delivered',
  executions: judged,
  failures: judged - overcome,
});

function armOf(tallies: readonly DeliveryTally[], arm: DeliveryTally['arm']): MomentArm {
  const own = tallies.filter((one) => one.arm === arm);
  const sum = (of: (one: DeliveryTally) => number): number => sumBy(own, of);
  const solved = sum((one) => one.solved);
  const mean = (total: number): number | null => (solved === 0 ? null : total / solved);
  return {
    agents: new Set(own.map(({ agentId }) => agentId)).size,
    deliveries: sum((one) => one.deliveries),
    judged: sum((one) => one.judged),
    followed: sum((one) => one.followed),
    overcome: sum((one) => one.overcome),
    meanCalls: mean(sum((one) => one.calls)),
    meanSeconds: mean(sum((one) => one.seconds)),
    again: sum((one) => one.again),
    later: sum((one) => one.later),
  };
}
