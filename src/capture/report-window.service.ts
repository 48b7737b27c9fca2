import { Injectable } from '@nestjs/common';
import { WorkerDatabase } from '../platform/database.js';
import { redactDeep } from '../untrusted/redact-deep.js';
import { ExecutionRepository } from './execution.repository.js';
import { type ExecutionObservations, observe, type StoredExecution } from './observation.js';
import { ObservationRepository, type ObservedBody, type Parent, type WindowRow } from './observation.repository.js';

/** An execution of a window. Its root is the top of the parent chain: sub-agents count as who started them (E1.3). */
export interface WindowedExecution {
  /** As the agent reported it. */
  readonly executionId: string;
  readonly receivedAt: Date;
  readonly observed: ExecutionObservations;
}

const DEEPEST_CHAIN = 20;
const PAGE = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

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
  ) {}

  /** Those received in [from, to] that count, oldest first, each once. */
  async *read(from: Date, to: Date): AsyncGenerator<WindowedExecution> {
    yield* this.pages(from, to, await this.observations.outgrown(this.database.client, from));
  }

  /** All that were received in [from, to], also those of which a later state counts. */
  stored(from: Date, to: Date): AsyncGenerator<WindowedExecution> {
    return this.pages(from, to, new Set());
  }

  private async *pages(from: Date, to: Date, without: ReadonlySet<string>): AsyncGenerator<WindowedExecution> {
    let after = { receivedAt: from, id: FIRST_ID };
    for (;;) {
      const rows = await this.observations.page(this.database.client, after, to, PAGE);
      for (const one of await this.observed(rows.filter(({ id }) => !without.has(id)))) yield one;
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return;
      after = last;
    }
  }

  /** The newest executions of the window, about `count` of them. */
  async *newest(from: Date, to: Date, count: number): AsyncGenerator<WindowedExecution> {
    yield* this.read(await this.executions.newestFrom(this.database.client, from, to, count), to);
  }

  /** These executions, by their ids, as a window has them. */
  async *these(ids: readonly string[]): AsyncGenerator<WindowedExecution> {
    for (let at = 0; at < ids.length; at += PAGE) {
      const rows = await this.observations.withIds(this.database.client, ids.slice(at, at + PAGE));
      for (const one of await this.observed(rows)) yield one;
    }
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
  agents(): Promise<{ id: string; name: string; owner: string }[]> {
    return this.observations.agents(this.database.client);
  }

  /** One after the other, so that only one of them is there as objects. */
  private async observed(rows: readonly WindowRow[]): Promise<Iterable<WindowedExecution>> {
    const parents = await this.parentsOf(rows);
    const bodies = await this.missing(rows.filter(({ body }) => body === null).map(({ id }) => id));
    return withSupport(rows, parents, bodies);
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

  /** What was not captured yet, or by other rules, is observed now, and kept. */
  private async missing(ids: readonly string[]): Promise<Map<string, ObservedBody>> {
    const bodies = new Map<string, ObservedBody>();
    if (ids.length === 0) return bodies;
    const { client } = this.database;
    for (const { report, ...stored } of await this.executions.withIds(client, ids)) {
      const body = bodyOf({ ...stored, report, finishedAt: report.finishedAt, rootExecutionKey: stored.id });
      await this.observations.put(client, [{ executionId: stored.id, body }]);
      bodies.set(stored.id, body);
    }
    return bodies;
  }
}

function* withSupport(
  rows: readonly WindowRow[],
  parents: ReadonlyMap<string, readonly Parent[]>,
  bodies: ReadonlyMap<string, ObservedBody>,
): Generator<WindowedExecution> {
  for (const { id, agentId, agentName, owner, origin, executionId, receivedAt, body, parentExecutionId } of rows) {
    // What the repository wrote there itself, redacted, and of this version.
    const known = body === null ? bodies.get(id) : (JSON.parse(body) as ObservedBody);
    if (!known) continue;
    const root = topOf({ agentId, executionId, parentExecutionId }, parents);
    const support = { agentId, owner, origin, root };
    yield { executionId, receivedAt, observed: { ...known, executionId: id, agentName, support } };
  }
}

/** What is stored of an execution's observations. */
export function bodyOf(execution: StoredExecution) {
  const { executionId: _id, agentName: _name, support: _support, ...body } = observe(execution);
  return redactDeep<ObservedBody>(body).value;
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
