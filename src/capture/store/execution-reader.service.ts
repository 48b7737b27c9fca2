import { Injectable } from '@nestjs/common';
import { NIL_UUID } from '../../platform/base/ids.js';
import { readRow } from '../../platform/database/damaged-rows.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import type { ExecutionObservations } from '../observations/observation.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { ExecutionRepository } from './execution.repository.js';
import {
  type AgentRow,
  type ExecutionParent,
  type ExecutionRow,
  ObservationRepository,
  type PageCursor,
} from './observation.repository.js';
import { ObservationBackfill } from './observation-backfill.service.js';
import { readObservations, type StoredObservations } from './stored-observations.js';

/**
 * An execution as the evolver reads it. Its root is the top of its parent chain: a sub-agent does not count as an
 * independent agent.
 */
export interface ObservedExecution {
  /** The id that the agent reported. */
  readonly executionId: string;
  readonly receivedAt: Date;
  readonly observed: ExecutionObservations;
}

/** An execution as the evolver shows it. */
export interface ReportedRow {
  readonly observed: ExecutionObservations;
  readonly report: ExecutionReport;
}

type AgentsById = Map<string, AgentRow>;

const MAX_CHAIN_DEPTH = 20;
/** Small, so that the objects of a page are collected before V8 promotes them to the old generation. */
const PAGE_SIZE = 100;
/** Reports are much larger than observations. */
const REPORT_PAGE_SIZE = 20;

/**
 * Reads the executions of a time window page by page, with the observations that capture stored. The window uses the
 * server's time of receipt, never a time that the reporter names.
 */
@Injectable()
export class ExecutionReader {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly executions: ExecutionRepository,
    private readonly observations: ObservationRepository,
    private readonly backfill: ObservationBackfill,
  ) {}

  /** The executions received in [from, to], oldest first, without superseded ones. */
  async *read(from: Date, to: Date): AsyncGenerator<ObservedExecution> {
    for await (const page of this.readPages(from, to)) yield* page;
  }

  /** The same in pages, for callers that read very many. */
  async *readPages(from: Date, to: Date): AsyncGenerator<Iterable<ObservedExecution>> {
    yield* this.fetchPages(from, to, await this.observations.findSupersededSince(this.database.client, from));
  }

  /** All executions received in [from, to], superseded ones included. */
  async *readWithSuperseded(from: Date, to: Date): AsyncGenerator<ObservedExecution> {
    for await (const page of this.fetchPages(from, to, new Set())) yield* page;
  }

  /** The database already reads the next page while the consumer works on this one. */
  private async *fetchPages(
    from: Date,
    to: Date,
    excluded: ReadonlySet<string>,
  ): AsyncGenerator<Iterable<ObservedExecution>> {
    const fetch = (after: PageCursor): Promise<ExecutionRow[]> => {
      const page = this.observations.findPage(this.database.client, after, to, PAGE_SIZE);
      // The consumer may stop early; ignore this rejection.
      page.catch(() => undefined);
      return page;
    };
    const agents = await this.agentsById();
    let nextPage = fetch({ receivedAt: from, id: NIL_UUID });
    for (;;) {
      const rows = await nextPage;
      const last = rows.length < PAGE_SIZE ? undefined : rows.at(-1);
      if (last) nextPage = fetch(last);
      yield await this.observeRows(excluded.size === 0 ? rows : rows.filter(({ id }) => !excluded.has(id)), agents);
      if (!last) return;
    }
  }

  /** About the `count` newest executions of the window. */
  async *readNewest(from: Date, to: Date, count: number): AsyncGenerator<ObservedExecution> {
    yield* this.read(await this.executions.findNewestStart(this.database.client, from, to, count), to);
  }

  /** The executions with these row ids. */
  async *readByIds(ids: readonly string[]): AsyncGenerator<ObservedExecution> {
    const agents: AgentsById = new Map();
    for (let at = 0; at < ids.length; at += PAGE_SIZE)
      yield* await this.observeRows(
        await this.observations.findByIds(this.database.client, ids.slice(at, at + PAGE_SIZE)),
        agents,
      );
  }

  /** The executions with these row ids, with their reports, a page of which is in memory and another on its way. */
  async *readReported(ids: readonly string[]): AsyncGenerator<ReportedRow> {
    const fetch = (at: number): Promise<Map<string, ExecutionReport>> => {
      const page = this.executions.findReports(this.database.client, ids.slice(at, at + REPORT_PAGE_SIZE));
      // The consumer may stop early; ignore this rejection.
      page.catch(() => undefined);
      return page;
    };
    let nextPage = fetch(0);
    const observed = new Map<string, ObservedExecution>();
    for await (const one of this.readByIds(ids)) observed.set(one.observed.executionId, one);
    for (let at = 0; at < ids.length; at += REPORT_PAGE_SIZE) {
      const reports = await nextPage;
      if (at + REPORT_PAGE_SIZE < ids.length) nextPage = fetch(at + REPORT_PAGE_SIZE);
      for (const id of ids.slice(at, at + REPORT_PAGE_SIZE)) {
        const [own, report] = [observed.get(id), reports.get(id)];
        if (own && report) yield { observed: own.observed, report };
      }
    }
  }

  /** Executions of other sessions that were received after this one and had one of the patterns. */
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

  /**
   * Reports received since `since` can supersede earlier executions and can move others under another root. Returns the
   * row ids of both.
   */
  async changesSince(since: Date): Promise<{ outgrown: Set<string>; below: string[] }> {
    const { client } = this.database;
    return {
      outgrown: await this.observations.findSupersededSince(client, since),
      below: await this.observations.findDescendantsSince(client, since, MAX_CHAIN_DEPTH),
    };
  }

  /** Whether counts that were made before `since` may hold calls that now count in another execution. */
  hasRecaptured(since: Date): Promise<boolean> {
    return this.observations.hasRecaptured(this.database.client, since);
  }

  /** Every agent with its current name and owner. */
  agents(): Promise<AgentRow[]> {
    return this.observations.findAgents(this.database.client);
  }

  private async agentsById(): Promise<AgentsById> {
    return new Map((await this.agents()).map((agent) => [agent.id, agent]));
  }

  /** Yields one at a time, so that only one is in memory as objects. Looks up agents that are not known yet. */
  private async observeRows(rows: readonly ExecutionRow[], agents: AgentsById): Promise<Iterable<ObservedExecution>> {
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
    // Written by the repository, redacted and in this version.
    const known =
      body === null ? bodies.get(id) : readRow('observation', { id, body }, (row) => readObservations(row.body));
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
    // Two agents may use one id. Prefer the agent's own, so that no agent can pull another agent's executions under its
    // own root.
    const parent = candidates.find((candidate) => candidate.agentId === top.agentId) ?? candidates[0];
    if (!parent) break;
    top = parent;
    parentId = parent.parentExecutionId;
  }
  return key(top.agentId, top.executionId);
}

/** Execution ids are unique per agent only. */
const key = (agentId: string, executionId: string): string => `${agentId}:${executionId}`;
