import { Injectable } from '@nestjs/common';
import { FIRST_ID } from '../../platform/base/ids.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import type { ExecutionObservations } from '../observations/observation.js';
import { ExecutionRepository } from './execution.repository.js';
import { LateObservations } from './late-observations.service.js';
import {
  ObservationRepository,
  type Parent,
  type Place,
  type WindowAgent,
  type WindowRow,
} from './observation.repository.js';
import type { ObservedBody } from './observed-body.js';

/** An execution of a window. Its root is the top of the parent chain: sub-agents count as who started them (E1.3). */
export interface WindowedExecution {
  /** As the agent reported it. */
  readonly executionId: string;
  readonly receivedAt: Date;
  readonly observed: ExecutionObservations;
}

type Agents = Map<string, WindowAgent>;

const DEEPEST_CHAIN = 20;
/** Small, so that what is made of a page is gone before the collector would take it for something that stays. */
const PAGE = 100;

/**
 * The stored executions of a window, for whoever looks for patterns: a page at a time, as they were observed when they
 * were captured. Server time decides, never the reporter's.
 */
@Injectable()
export class ReportWindow {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly executions: ExecutionRepository,
    private readonly observations: ObservationRepository,
    private readonly late: LateObservations,
  ) {}

  /** Those received in [from, to] that count, oldest first, each once. */
  async *read(from: Date, to: Date): AsyncGenerator<WindowedExecution> {
    for await (const page of this.pages(from, to)) yield* page;
  }

  /** The same by the page, for whoever reads very many. */
  async *pages(from: Date, to: Date): AsyncGenerator<Iterable<WindowedExecution>> {
    yield* this.paged(from, to, await this.observations.outgrown(this.database.client, from));
  }

  /** All that were received in [from, to], also those of which a later state counts. */
  async *stored(from: Date, to: Date): AsyncGenerator<WindowedExecution> {
    for await (const page of this.paged(from, to, new Set())) yield* page;
  }

  /** While one page is looked at, the database is at work on the next. */
  private async *paged(
    from: Date,
    to: Date,
    without: ReadonlySet<string>,
  ): AsyncGenerator<Iterable<WindowedExecution>> {
    const fetch = (after: Place): Promise<WindowRow[]> => {
      const page = this.observations.page(this.database.client, after, to, PAGE);
      // Whoever stops half way does not wait for it any more.
      page.catch(() => undefined);
      return page;
    };
    const agents = await this.everybody();
    let coming = fetch({ receivedAt: from, id: FIRST_ID });
    for (;;) {
      const rows = await coming;
      const last = rows.length < PAGE ? undefined : rows.at(-1);
      if (last) coming = fetch(last);
      yield await this.observed(without.size === 0 ? rows : rows.filter(({ id }) => !without.has(id)), agents);
      if (!last) return;
    }
  }

  /** The newest executions of the window, about `count` of them. */
  async *newest(from: Date, to: Date, count: number): AsyncGenerator<WindowedExecution> {
    yield* this.read(await this.executions.newestFrom(this.database.client, from, to, count), to);
  }

  /** These executions, by their ids, as a window has them. */
  async *these(ids: readonly string[]): AsyncGenerator<WindowedExecution> {
    const agents: Agents = new Map();
    for (let at = 0; at < ids.length; at += PAGE)
      yield* await this.observed(
        await this.observations.withIds(this.database.client, ids.slice(at, at + PAGE)),
        agents,
      );
  }

  /** Executions of other sessions that came in after this one, and in which one of the patterns occurred. */
  async *laterWith(
    patternKeys: readonly string[],
    executionId: string,
    limit: number,
  ): AsyncGenerator<{ session: string; observed: ExecutionObservations }> {
    const later = await this.observations.laterWith(this.database.client, patternKeys, executionId, limit);
    const sessions = new Map(later.map(({ id, session }) => [id, session]));
    for await (const { observed } of this.these([...sessions.keys()]))
      yield { session: sessions.get(observed.executionId) ?? observed.executionId, observed };
  }

  /** What was received since can end the counting of an execution before it, and can put others under another root. */
  async changesSince(since: Date): Promise<{ outgrown: Set<string>; below: string[] }> {
    const { client } = this.database;
    return {
      outgrown: await this.observations.outgrown(client, since),
      below: await this.observations.below(client, since, DEEPEST_CHAIN),
    };
  }

  /** Every agent as it is called now, and whose it is. */
  agents(): Promise<WindowAgent[]> {
    return this.observations.agents(this.database.client);
  }

  private async everybody(): Promise<Agents> {
    return new Map((await this.agents()).map((agent) => [agent.id, agent]));
  }

  /** One after the other, so that only one of them is there as objects. Agents that are not known yet are looked up. */
  private async observed(rows: readonly WindowRow[], agents: Agents): Promise<Iterable<WindowedExecution>> {
    const unknown = new Set(rows.map(({ agentId }) => agentId).filter((id) => !agents.has(id)));
    if (unknown.size > 0)
      for (const agent of await this.observations.agents(this.database.client, [...unknown]))
        agents.set(agent.id, agent);
    const parents = await this.parentsOf(rows);
    const bodies = await this.late.of(rows.filter(({ body }) => body === null).map(({ id }) => id));
    return withSupport(rows, agents, parents, bodies);
  }

  private async parentsOf(rows: readonly WindowRow[]): Promise<Map<string, Parent[]>> {
    const wanted = [...new Set(rows.flatMap(({ parentExecutionId }) => parentExecutionId ?? []))];
    const parents = new Map<string, Parent[]>();
    if (wanted.length === 0) return parents;
    for (const parent of await this.observations.parents(this.database.client, wanted, DEEPEST_CHAIN)) {
      const same = parents.get(parent.executionId);
      if (same) same.push(parent);
      else parents.set(parent.executionId, [parent]);
    }
    return parents;
  }
}

function* withSupport(
  rows: readonly WindowRow[],
  agents: Agents,
  parents: ReadonlyMap<string, readonly Parent[]>,
  bodies: ReadonlyMap<string, ObservedBody>,
): Generator<WindowedExecution> {
  for (const { id, agentId, origin, executionId, receivedAt, body, parentExecutionId } of rows) {
    // What the repository wrote there itself, redacted, and of this version.
    const known = body === null ? bodies.get(id) : (JSON.parse(body) as ObservedBody);
    const agent = agents.get(agentId);
    if (!known || !agent) continue;
    const root = topOf({ agentId, executionId, parentExecutionId }, parents);
    const support = { agentId, owner: agent.owner, origin, root };
    yield {
      executionId,
      receivedAt,
      observed: Object.assign(known, { executionId: id, agentName: agent.name, support }),
    };
  }
}

function topOf(
  { agentId, executionId, parentExecutionId }: Parent,
  parents: ReadonlyMap<string, readonly Parent[]>,
): string {
  let top = { agentId, executionId };
  let parentId = parentExecutionId;
  for (let depth = 0; parentId !== null && depth < DEEPEST_CHAIN; depth += 1) {
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
