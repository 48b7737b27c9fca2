import { Injectable } from '@nestjs/common';
import { WorkerDatabase } from '../platform/database.js';
import { ExecutionRepository, type StoredReport } from './execution.repository.js';

export interface WindowedReport extends StoredReport {
  /** The execution at the top of the parent chain: sub-agents count as the one that started them (spec E1.3). */
  readonly rootExecutionKey: string;
}

const DEEPEST_CHAIN = 20;

/** The stored executions of a window, for whoever looks for patterns. Server time decides, never the reporter's. */
@Injectable()
export class ReportWindow {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly executions: ExecutionRepository,
  ) {}

  /** The newest executions of the window, about `count` of them. */
  async *newest(from: Date, to: Date, count: number): AsyncGenerator<WindowedReport> {
    yield* this.read(await this.executions.newestFrom(this.database.client, from, to, count), to);
  }

  async *read(from: Date, to: Date): AsyncGenerator<WindowedReport> {
    const parents = new Map<string, Parent[]>();
    for (const parent of await this.executions.parents(this.database.client, from, DEEPEST_CHAIN)) {
      const same = parents.get(parent.executionId);
      if (same) same.push(parent);
      else parents.set(parent.executionId, [parent]);
    }
    const outgrown = await this.executions.outgrown(this.database.client, from);
    for await (const stored of this.executions.inWindow(this.database.client, from, to))
      if (!outgrown.has(stored.id)) yield { ...stored, rootExecutionKey: topOf(stored, parents) };
  }
}

type Parent = Awaited<ReturnType<ExecutionRepository['parents']>>[number];

function topOf({ agentId, report }: StoredReport, parents: ReadonlyMap<string, readonly Parent[]>): string {
  let top = { agentId, executionId: report.executionId };
  let parentId = report.parentExecutionId ?? null;
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
