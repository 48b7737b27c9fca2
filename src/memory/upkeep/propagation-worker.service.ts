import { Inject, Injectable } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { type Tx, WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { generaliseDeep } from '../../untrusted/text/generalise.js';
import { Lesson } from '../store/lesson.schema.js';
import { MemoryRepository } from '../store/memory.repository.js';
import type { MemoryEntry } from '../store/memory.schema.js';
import { MemorySourceRepository } from '../store/memory-source.repository.js';
import { provenanceOf } from '../store/provenance.js';
import { type AgentMembership, propagatedFrom, propagationStrategy } from './propagation.strategy.js';
import { UpkeepRepository } from './upkeep.repository.js';

/** Most copies of one run. The next run makes the rest. */
const MAX_COPIES = 1_000;
const PROPAGATION = jobActor('memory-propagation');

type NamedAgent = AgentMembership & { readonly name: string };

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

/** Copies an agent's own lessons to its peers. Off by default. */
@Injectable()
export class PropagationWorker {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
    private readonly upkeep: UpkeepRepository,
    private readonly sources: MemorySourceRepository,
  ) {}

  async propagate({ dryRun, sizes, endedIds }: PropagationRound): Promise<LessonCopy[]> {
    const strategy = propagationStrategy(this.config.propagation);
    if (strategy.type === 'none') return [];
    const agents = await this.upkeep.agents(this.database.client);
    const byId = new Map(agents.map((agent) => [agent.id, agent]));
    const copies: LessonCopy[] = [];
    for (const from of agents) {
      const targets = strategy.targets(from, agents).flatMap((id) => byId.get(id) ?? []);
      if (targets.length === 0 || copies.length >= MAX_COPIES) continue;
      for (const lesson of await this.memories.copyableLessons(this.database.client, from.id))
        if (!endedIds.has(lesson.id)) copies.push(...(await this.copyToAll(lesson, from, targets, sizes, dryRun)));
    }
    return copies;
  }

  /** Never copies into a full store: a copy must not push out what an agent learned itself. */
  private async copyToAll(
    lesson: MemoryEntry,
    from: NamedAgent,
    targets: readonly NamedAgent[],
    sizes: Map<string, number>,
    dryRun: boolean,
  ): Promise<LessonCopy[]> {
    const text = generaliseLesson(lesson.lesson);
    if (!text) return [];
    const contentSha256 = sha256(canonicalJson(text));
    const holders = await this.memories.holdersOf(this.database.client, lesson.id, contentSha256);
    const copies: LessonCopy[] = [];
    for (const to of targets) {
      const size = sizes.get(to.id) ?? 0;
      if (holders.has(to.id) || size >= this.config.memoryCapacity) continue;
      const copied =
        dryRun || (await this.database.transaction((tx) => this.copy(tx, lesson, text, contentSha256, from, to)));
      if (!copied) continue;
      sizes.set(to.id, size + 1);
      copies.push({ source: lesson.id, from, to });
    }
    return copies;
  }

  /** Returns false if the source has ended since the run began. */
  private async copy(
    tx: Tx,
    source: MemoryEntry,
    lesson: NonNullable<ReturnType<typeof generaliseLesson>>,
    contentSha256: string,
    from: NamedAgent,
    to: NamedAgent,
  ): Promise<boolean> {
    if (!(await this.memories.lockLive(tx, source.id))) return false;
    // Read again, because the provenance may have changed since the run began.
    const { provenance: sourceProvenance } = (await this.memories.find(tx, source.id)) ?? source;
    // What was verified is the words of the source. Other words, without the agent's paths and hosts, start unverified.
    const isSame = canonicalJson(lesson) === canonicalJson(source.lesson);
    const rank = sourceProvenance === 'verified' && !isSame ? 'unverified' : sourceProvenance;
    const provenance = provenanceOf(rank, 'copy', PROPAGATION.kind);
    const id = this.ids.uuid();
    await this.memories.create(tx, {
      id,
      scope: 'agent',
      agentId: to.id,
      lesson,
      controlTags: [...source.controlTags, propagatedFrom(from.id)],
      provenance,
      proposer: source.proposer,
      awaitingProposer: false,
      contentSha256,
      createdAt: this.clock.now(),
      propagatedFromId: source.id,
    });
    await this.sources.inherit(tx, id, source.id);
    await this.journal.append(tx, PROPAGATION, {
      action: 'memory.lesson_propagated',
      subject: { type: 'memory', id },
      data: { source: source.id, from: from.id, to: to.id, provenance, contentSha256 },
    });
    return true;
  }
}

/** Removes paths, hosts and addresses of the agent. Returns undefined if no valid lesson is left. */
function generaliseLesson(lesson: Lesson) {
  const { value } = redactDeep(generaliseDeep(lesson));
  return Lesson.safeParse(value).success ? value : undefined;
}
