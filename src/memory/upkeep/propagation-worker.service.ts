import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { roundRobin } from '../../platform/background/round-robin.js';
import { Clock } from '../../platform/base/clock.js';
import { stackOf } from '../../platform/base/error-text.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { type Tx, WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { StoredLessons } from '../lessons/stored-lessons.service.js';
import { answeredRecords } from '../store/answered-claim.js';
import { MemoryRepository } from '../store/memory.repository.js';
import type { MemoryEntry } from '../store/memory.schema.js';
import { MemorySourceRepository } from '../store/memory-source.repository.js';
import {
  type AgentMembership,
  copyOf,
  inTurn,
  type PropagationStrategy,
  propagationStrategy,
} from './propagation.strategy.js';
import { UpkeepRepository } from './upkeep.repository.js';

const PROPAGATION = jobActor('memory-propagation');

type NamedAgent = AgentMembership & { readonly name: string };
type Settings = Pick<
  Config,
  'propagation' | 'propagationTargets' | 'propagationRunCopies' | 'propagationQueue' | 'memoryCapacity'
>;

export interface LessonCopy {
  readonly source: string;
  readonly from: NamedAgent;
  readonly to: NamedAgent;
}

export interface PropagationRound {
  readonly dryRun: boolean;
  /** Number of live lessons by agent id. */
  readonly sizes: Map<string, number>;
  /** Lessons that this upkeep run ended, or would have ended in a dry run. */
  readonly endedIds: ReadonlySet<string>;
}

interface Source {
  readonly lesson: MemoryEntry;
  readonly from: NamedAgent;
  readonly peers: readonly NamedAgent[];
}

/**
 * Copies an agent's own lessons to its peers: each one when it is stored, and on the schedule what was left out. Off by
 * default.
 */
@Injectable()
export class PropagationWorker implements OnModuleDestroy {
  private readonly logger = new Logger(PropagationWorker.name);
  private readonly strategy: PropagationStrategy;
  private readonly stored = new Set<string>();
  private working: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    @Inject(CONFIG) private readonly config: Settings,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
    private readonly upkeep: UpkeepRepository,
    private readonly sources: MemorySourceRepository,
    lessons: StoredLessons,
  ) {
    this.strategy = propagationStrategy(config.propagation);
    if (this.strategy.type !== 'none') lessons.listen((ids) => this.wake(ids));
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    await this.idle();
  }

  /** Resolves once the copies of all lessons stored until now are made. */
  idle(): Promise<void> {
    return this.working;
  }

  /** Copies what was stored soon, one lesson after another. The next run makes what fails or does not fit in the queue. */
  private wake(ids: readonly string[]): void {
    for (const id of ids) if (this.stored.size < this.config.propagationQueue) this.stored.add(id);
    this.working = this.working.then(() => this.copyStored()).catch((error) => this.logger.error(stackOf(error)));
  }

  private async copyStored(): Promise<void> {
    const ids = [...this.stored];
    this.stored.clear();
    if (ids.length === 0 || this.isStopped) return;
    const lessons = await this.memories.copyableLessons(this.database.client, { ids });
    const sizes = await this.upkeep.storeSizes(this.database.client);
    const agents = await this.upkeep.agents(this.database.client);
    await this.copyFairly(lessons, agents, { dryRun: false, sizes, endedIds: new Set() });
  }

  async propagate(round: PropagationRound): Promise<LessonCopy[]> {
    if (this.strategy.type === 'none') return [];
    const stores: MemoryEntry[] = [];
    const lastCopied = await this.upkeep.lastCopied(this.database.client);
    const waitingSince = ({ id }: NamedAgent): number => lastCopied.get(id)?.getTime() ?? 0;
    const agents = await this.upkeep.agents(this.database.client);
    // Whose lessons were copied longest ago comes first, or a bound below the number of agents would leave out the same.
    const sources = agents.filter((agent) => this.strategy.peers(agent, agents).length > 0);
    for (const { id } of sources.sort((a, b) => waitingSince(a) - waitingSince(b)))
      stores.push(...(await this.memories.copyableLessons(this.database.client, { agentId: id })));
    return this.copyFairly(stores, agents, round);
  }

  /** Copies at most `propagationRunCopies`, in turn from each agent, so that no agent's lessons wait for another's. */
  private async copyFairly(
    lessons: readonly MemoryEntry[],
    agents: readonly NamedAgent[],
    round: PropagationRound,
  ): Promise<LessonCopy[]> {
    const byId = new Map(agents.map((agent) => [agent.id, agent]));
    const copies: LessonCopy[] = [];
    for (const lesson of roundRobin(lessons, ({ agentId }) => agentId ?? '')) {
      const left = this.config.propagationRunCopies - copies.length;
      if (left <= 0) break;
      const from = byId.get(lesson.agentId ?? '');
      if (!from || round.endedIds.has(lesson.id) || !isWorthACopy(lesson)) continue;
      const peers = inTurn(lesson.id, this.strategy.peers(from, agents)).flatMap((id) => byId.get(id) ?? []);
      if (peers.length > 0) copies.push(...(await this.copyToPeers({ lesson, from, peers }, round, left)));
    }
    return copies;
  }

  /**
   * Copies to the first peers in turn, within the lesson's limit over all runs. Never copies into a full store: a copy
   * must not push out what an agent learned itself. The next peer takes its place.
   */
  private async copyToPeers(source: Source, round: PropagationRound, left: number): Promise<LessonCopy[]> {
    const { lesson, from, peers } = source;
    const { dryRun, sizes } = round;
    const text = copyOf(lesson, PROPAGATION.kind);
    if (!text) return [];
    const { copied: before, holders } = await this.memories.holdersOf(
      this.database.client,
      lesson.id,
      text.contentSha256,
    );
    const most = Math.min(left, this.config.propagationTargets - before);
    const shared = await this.memories.sharedFrom(this.database.client, lesson.id);
    const copies: LessonCopy[] = [];
    for (const to of peers) {
      if (shared.some((one) => isReadBy(one, to))) continue;
      if (copies.length >= most) break;
      const size = sizes.get(to.id) ?? 0;
      if (holders.has(to.id) || size >= this.config.memoryCapacity) continue;
      const copied = dryRun || (await this.database.transaction((tx) => this.copy(tx, lesson, from, to)));
      if (!copied) continue;
      sizes.set(to.id, size + 1);
      copies.push({ source: lesson.id, from, to });
    }
    return copies;
  }

  /** Returns false if the source has ended since it was read, or if another process has made this copy or the last one. */
  private async copy(tx: Tx, { id: sourceId }: MemoryEntry, from: NamedAgent, to: NamedAgent): Promise<boolean> {
    // Read again, because the provenance may have changed since the run began.
    const source = await this.memories.lockLive(tx, sourceId);
    const copy = source && copyOf(source, PROPAGATION.kind);
    if (!copy) return false;
    const { contentSha256, provenance } = copy;
    const { copied, holders } = await this.memories.holdersOf(tx, sourceId, contentSha256);
    if (holders.has(to.id) || copied >= this.config.propagationTargets) return false;
    const id = this.ids.uuid();
    const createdAt = this.clock.now();
    const { failureKey, remedyKey = null } = await this.memories.originOf(tx, sourceId);
    const keys = failureKey === undefined ? {} : { failureKey, remedyKey };
    await this.memories.create(tx, { ...copy, ...keys, id, scope: 'agent', agentId: to.id, createdAt });
    await this.sources.inherit(tx, id, sourceId);
    const answered = await this.memories.endAnswered(tx, [id], createdAt);
    const data = { source: sourceId, from: from.id, to: to.id, provenance, contentSha256 };
    await this.journal.appendAll(tx, [
      { actor: PROPAGATION, action: 'memory.lesson_propagated', subject: { type: 'memory', id }, data },
      ...answeredRecords(PROPAGATION, answered),
    ]);
    return true;
  }
}

/** That nothing helped one agent is no advice for another; what is not marked could be read in the repository. */
const isWorthACopy = ({ lesson, controlTags }: MemoryEntry): boolean =>
  lesson.example?.worked !== null && controlTags.includes('non-inferable');

/** Returns whether the agent reads the lesson by its role or its department, so that a copy would add nothing. */
const isReadBy = ({ scope, role, department }: Pick<MemoryEntry, 'scope' | 'role' | 'department'>, to: NamedAgent) =>
  scope === 'role' ? role === to.role : department === to.department;
