import { Inject, Injectable } from '@nestjs/common';
import type { AdminActor, Reviewed, ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { CONFIG } from '../../platform/platform.module.js';
import { type DeliveryLimit, ROLLOUT_PERCENTS, type RolloutPercent, type SourceOwner } from './audience.js';
import { LiveCheckRepository } from './live-check.repository.js';
import { RolloutRepository, type RolloutStage } from './rollout.repository.js';
import type { Rollout } from './rollout.schema.js';

type SkillVersion = Pick<MemoryEntry, 'id' | 'skillName' | 'version' | 'createdAt'>;

/** A version that was just approved, and the version that it replaces. */
export interface ApprovedVersion {
  readonly version: {
    readonly id: string;
    readonly skillName: string;
    readonly version: number;
    readonly createdAt: Date;
  };
  readonly replacedId: string | null;
}

/** What a pending proposal says about those whom it was learned from. */
interface LearnedProposal {
  readonly supersedes: { readonly id: string } | null;
  readonly evidence: {
    readonly owners: number;
    readonly seenBy: readonly Source[];
    /** Only what a cycle learned has one. */
    readonly check?: unknown;
  };
}

/** Of a version: an agent that it was learned from, and the owner. */
interface Source {
  readonly agent: string;
  readonly owner: string | null;
}

/**
 * Rollout stages: the percentage of agents that receives a skill version. The agents left out are the control group of
 * the effect measurement. Before that, a version that agents of one owner support is for these agents only.
 */
@Injectable()
export class RolloutStages {
  /** By version; null if it is for all owners. Never changes after the approval, and the evidence is long. */
  private readonly sources = new Map<string, Source | null>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly rollouts: RolloutRepository,
    private readonly checks: LiveCheckRepository,
  ) {}

  /**
   * Starts the first stage of each version in the transaction that approves it: the configured percentage, or that of
   * the replaced version if it is smaller. Otherwise an amendment would deliver to all agents what a person holds back.
   */
  async begin(tx: SqlClient, approved: readonly Reviewed<ApprovedVersion>[]): Promise<void> {
    const replacedIds = approved.flatMap(({ replacedId }) => replacedId ?? []);
    const stages = replacedIds.length === 0 ? new Map<string, RolloutStage[]>() : await this.stagesOf(replacedIds, tx);
    const percent = ROLLOUT_PERCENTS.find((stage) => stage === this.config.rolloutPercent) ?? 100;
    const first = approved.flatMap(({ version: { id, skillName, version, createdAt }, replacedId }) => {
      const replaced = replacedId === null ? undefined : stages.get(replacedId)?.at(-1);
      const lower = replaced && replaced.percent < percent ? replaced.percent : percent;
      // A version without a stage is received by every agent.
      if (lower === 100) return [];
      return [{ id: this.ids.uuid(), memoryId: id, skillName, version, percent: lower, since: createdAt }];
    });
    if (first.length > 0) await this.rollouts.create(tx, first);
  }

  /**
   * Moves a live version to a stage; does nothing if it is there already. Throws `conflict` if another change was
   * first. The caller checks the permission.
   */
  async set(tx: Tx, actor: ReviewerActor | AdminActor, live: SkillVersion, percent: RolloutPercent): Promise<Rollout> {
    const before = (await this.stagesOf([live.id], tx)).get(live.id)?.at(-1);
    if (before?.percent === percent || (!before && percent === 100)) return toRollout(live, before);
    const { skillName: name, version } = requireSkillVersion(live);
    const since = this.clock.now();
    if (before && !(await this.rollouts.end(tx, before.id, since))) throw rolloutConflict(name);
    const stage = { id: this.ids.uuid(), memoryId: live.id, skillName: name, version, percent, since };
    await this.rollouts.create(tx, [stage]);
    await this.journal.append(tx, actor, {
      action: 'skill.rollout_set',
      subject: { type: 'skill', id: name },
      data: { version, percent, before: before?.percent ?? 100 },
    });
    return { name, version, percent, since: since.toISOString() };
  }

  /**
   * The stages of each version, oldest first. A version without stages has been received by every agent since its
   * approval.
   */
  async stagesOf(
    memoryIds: readonly string[],
    tx: SqlClient = this.database.client,
  ): Promise<Map<string, RolloutStage[]>> {
    return byMemory(await this.rollouts.ofMemories(tx, memoryIds));
  }

  /** Who receives a version, by version. Every agent receives a live version without a limit. */
  async limits(): Promise<Map<string, DeliveryLimit>> {
    const { client } = this.database;
    const stages = await this.rollouts.partialStages(client);
    const limits = new Map<string, DeliveryLimit>(
      stages.flatMap(({ memoryId, percent, until }) => (until === null ? [[memoryId, { percent }]] : [])),
    );
    const live = await this.checks.liveOwners(client);
    for (const id of this.sources.keys()) if (!live.some(({ memoryId }) => memoryId === id)) this.sources.delete(id);
    const supported = live.flatMap(({ memoryId, owners }) => (owners < 2 ? [memoryId] : []));
    for (const [id, boundTo] of await this.sourceOwners(supported))
      limits.set(id, { percent: limits.get(id)?.percent ?? 100, boundTo });
    return limits;
  }

  /** By version: the owner whose agents alone supported it at its approval. Empty in an organisation with one owner. */
  async sourceOwners(memoryIds: readonly string[]): Promise<Map<string, SourceOwner>> {
    const { client } = this.database;
    const unread = memoryIds.filter((id) => !this.sources.has(id));
    const read = new Map(
      (unread.length === 0 ? [] : await this.checks.sources(client, unread)).map((one) => [one.memoryId, one]),
    );
    for (const id of unread) this.sources.set(id, read.get(id) ?? null);
    const found = memoryIds.flatMap((id) => {
      const source = this.sources.get(id);
      return source ? [{ id, source }] : [];
    });
    if (found.length === 0 || !(await this.checks.hasSeveralOwners(client))) return new Map();
    const ids = found.map(({ id }) => id);
    const merged = await this.checks.merged(client, ids);
    const agents = await this.checks.agentsOf(
      client,
      found.map(({ source }) => source),
    );
    return new Map(
      found.flatMap(({ id, source }) => {
        const own = agents.filter(
          ({ name, owner }) => owner === source.owner && (owner !== null || name === source.agent),
        );
        // Without one of these agents it could reach no one.
        if (merged.has(id) || own.length === 0) return [];
        const agentIds = new Set(own.map((agent) => agent.id));
        return [[id, { owner: source.owner ?? source.agent, agentIds }] as const];
      }),
    );
  }

  /** The owner whose agents alone would receive a pending proposal; null if every agent would. */
  async ownerFor({ supersedes, evidence }: LearnedProposal): Promise<string | null> {
    const [first] = evidence.seenBy;
    const isOfOne = evidence.owners === 1 && new Set(evidence.seenBy.map(({ owner }) => owner)).size === 1;
    if (!evidence.check || !first || !isOfOne) return null;
    // A new version goes to those who have the one before.
    if (supersedes && !(await this.limits()).get(supersedes.id)?.boundTo) return null;
    return (await this.checks.hasSeveralOwners(this.database.client)) ? (first.owner ?? first.agent) : null;
  }

  /** By version, its stages below 100 %, ended ones included. */
  async withheld(): Promise<Map<string, RolloutStage[]>> {
    return byMemory(await this.rollouts.partialStages(this.database.client));
  }
}

function byMemory(stages: readonly RolloutStage[]): Map<string, RolloutStage[]> {
  const grouped = new Map<string, RolloutStage[]>();
  for (const stage of stages) grouped.set(stage.memoryId, [...(grouped.get(stage.memoryId) ?? []), stage]);
  return grouped;
}

/** The current stage of a version. */
export function toRollout(version: SkillVersion, stage: RolloutStage | undefined): Rollout {
  return {
    name: version.skillName ?? '',
    version: version.version ?? 1,
    percent: stage?.percent ?? 100,
    since: stage?.since.toISOString() ?? version.createdAt,
  };
}

function requireSkillVersion({ skillName, version }: SkillVersion) {
  if (skillName === null || version === null) throw new Error('a private lesson has no rollout');
  return { skillName, version };
}

export const rolloutConflict = (name: string): DomainError =>
  new DomainError(
    'conflict',
    'skill.rollout_changed',
    `The rollout of "${name}" was changed at the same time; check it and try again.`,
  );
