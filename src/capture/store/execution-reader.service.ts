import { Injectable } from '@nestjs/common';
import { NIL_UUID } from '../../platform/base/ids.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import type { ExecutionObservations } from '../observations/observation.js';
import { ExecutionRepository } from './execution.repository.js';
import {
  type AgentRow,
  type ExecutionParent,
  type ExecutionRow,
  ObservationRepository,
  type PageCursor,
} from './observation.repository.js';
import { ObservationBackfill } from './observation-backfill.service.js';
import type { StoredObservations } from './stored-observations.js';

/** An execution of a window. Its root is the top of the parent chain: sub-agents count as who started them (E1.3). */
export interface ObservedExecution {
  /** As the agent reported it. */
  readonly executionId: string;
  readonly receivedAt: Date;
  readonly observed: ExecutionObservations;
}

type AgentsById = Map<string, AgentRow>;

const MAX_CHAIN_DEPTH = 20;
/** Small, so that what is made of a page is gone before the collector would take it for something that stays. */
const PAGE_SIZE = 100;

/**
 * The stored executions of a window, for whoever looks for patterns: a page at a time, as they were observed when they
 * were captured. Server time decides, never the reporter's.
 */
@Injectable()
export class ExecutionReader {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly executions: ExecutionRepository,
    private readonly observations: ObservationRepository,
    private readonly backfill: ObservationBackfill,
  ) {}

  /** Those received in [from, to] that count, oldest first, each once. */
  async *read(from: Date, to: Date): AsyncGenerator<ObservedExecution> {
    for await (const page of this.readPages(from, to)) yield* page;
  }

  /** The same by the page, for whoever reads very many. */
  async *readPages(from: Date, to: Date): AsyncGenerator<Iterable<ObservedExecution>> {
    yield* this.fetchPages(from, to, await this.observations.findSupersededSince(this.database.client, from));
  }

  /** All that were received in [from, to], also those of which a later state counts. */
  async *readWithSuperseded(from: Date, to: Date): AsyncGenerator<ObservedExecution> {
    for await (const page of this.fetchPages(from, to, new Set())) yield* page;
  }

  /** While one page is looked at, the database is at work on the next. */
  private async *fetchPages(
    from: Date,
    to: Date,
    excluded: ReadonlySet<string>,
  ): AsyncGenerator<Iterable<ObservedExecution>> {
    const fetch = (after: PageCursor): Promise<ExecutionRow[]> => {
      const page = this.observations.findPage(this.database.client, after, to, PAGE_SIZE);
      // Whoever stops half way does not wait for it any more.
      page.catch(() => undefined);
      return page;
    };
    const agents = await this.agentsById();
    let nextPage = fetch({ receivedAt: from, id: NIL_UUID });
    for (;;) {
      const rows = await nextPage;
      const last = rows.length < PAGE_SIZE ? undefined : rows.at(-1);
      if (last) nextPage = fetch(last);
      yield await this.observed(excluded.size === 0 ? rows : rows.filter(({ id }) => !excluded.has(id)), agents);
      if (!last) return;
    }
  }

  /** The newest executions of the window, about `count` of them. */
  async *readNewest(from: Date, to: Date, count: number): AsyncGenerator<ObservedExecution> {
    yield* this.read(await this.executions.findNewestStart(this.database.client, from, to, count), to);
  }

  /** These executions, by their ids, as a window has them. */
  async *readByIds(ids: readonly string[]): AsyncGenerator<ObservedExecution> {
    const agents: AgentsById = new Map();
    for (let at = 0; at < ids.length; at += PAGE_SIZE)
      yield* await this.observed(
        await this.observations.findByIds(this.database.client, ids.slice(at, at + PAGE_SIZE)),
        agents,
      );
  }

  /** Executions of other sessions that came in after this one, and in which one of the patterns occurred. */
  async *readLaterOccurrences(
    patternKeys: readonly string[],
    executionId: string,
    limit: number,
  ): AsyncGenerator<{ session: string; observed: ExecutionObservations }> {
    const later = await this.observations.findLaterOccurrences(this.database.client, patternKeys, executionId, limit);
    const sessions = new Map(later.map(({ id, session }) => [id, session]));
    for await (const { observed } of this.readByIds([...sessions.keys()]))
      yield { session: sessions.get(observed.executionId) ?? observed.executionId, observed };
  }

  /** What was received since can end the counting of an execution before it, and can put others under another root. */
  async changesSince(since: Date): Promise<{ outgrown: Set<string>; below: string[] }> {
    const { client } = this.database;
    return {
      outgrown: await this.observations.findSupersededSince(client, since),
      below: await this.observations.findDescendantsSince(client, since, MAX_CHAIN_DEPTH),
    };
  }

  /** Every agent as it is called now, and whose it is. */
  agents(): Promise<AgentRow[]> {
    return this.observations.findAgents(this.database.client);
  }

  private async agentsById(): Promise<AgentsById> {
    return new Map((await this.agents()).map((agent) => [agent.id, agent]));
  }

  /** One after the other, so that only one of them is there as objects. Agents that are not known yet are looked up. */
  private async observed(rows: readonly ExecutionRow[], agents: AgentsById): Promise<Iterable<ObservedExecution>> {
    const unknown = new Set(rows.map(({ agentId }) => agentId).filter((id) => !agents.has(id)));
    if (unknown.size > 0)
      for (const agent of await this.observations.findAgents(this.database.client, [...unknown]))
        agents.set(agent.id, agent);
    const parents = await this.parentsOf(rows);
    const bodies = await this.backfill.run(rows.filter(({ body }) => body === null).map(({ id }) => id));
    return withSupport(rows, agents, parents, bodies);
  }

  private async parentsOf(rows: readonly ExecutionRow[]): Promise<Map<string, ExecutionParent[]>> {
    const wanted = [...new Set(rows.flatMap(({ parentExecutionId }) => parentExecutionId ?? []))];
    const parents = new Map<string, ExecutionParent[]>();
    if (wanted.length === 0) return parents;
    for (const parent of await this.observations.findAncestors(this.database.client, wanted, MAX_CHAIN_DEPTH)) {
      const same = parents.get(parent.executionId);
      if (same) same.push(parent);
      else parents.set(parent.executionId, [parent]);
    }
    return parents;
  }
}

function* withSupport(
  rows: readonly ExecutionRow[],
  agents: AgentsById,
  parents: ReadonlyMap<string, readonly ExecutionParent[]>,
  bodies: ReadonlyMap<string, StoredObservations>,
): Generator<ObservedExecution> {
  for (const { id, agentId, origin, executionId, receivedAt, body, parentExecutionId } of rows) {
    // What the repository wrote there itself, redacted, and of this version.
    const known = body === null ? bodies.get(id) : (JSON.parse(body) as StoredObservations);
    const agent = agents.get(agentId);
    if (!known || !agent) continue;
    const root = rootKeyOf({ agentId, executionId, parentExecutionId }, parents);
    const support = { agentId, owner: agent.owner, origin, root };
    yield {
      executionId,
      receivedAt,
      observed: Object.assign(known, { executionId: id, agentName: agent.name, support }),
    };
  }
}

function rootKeyOf(
  { agentId, executionId, parentExecutionId }: ExecutionParent,
  parents: ReadonlyMap<string, readonly ExecutionParent[]>,
): string {
  let top = { agentId, executionId };
  let parentId = parentExecutionId;
  for (let depth = 0; parentId !== null && depth < MAX_CHAIN_DEPTH; depth += 1) {
    const candidates = parents.get(parentId) ?? [];
    // Two agents may use one id: the own one is meant, so that nobody can pull another's executions under theirs.
    const parent = candidates.find((candidate) => candidate.agentId === top.agentId) ?? candidates[0];
    if (!parent) break;
    top = parent;
    parentId = parent.parentExecutionId;
  }
  return key(top.agentId, top.executionId);
}

/** Execution ids are unique for an agent only. */
const key = (agentId: string, executionId: string): string => `${agentId}:${executionId}`;
