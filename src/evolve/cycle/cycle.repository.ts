import { Injectable } from '@nestjs/common';
import { readRow, readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { type Cycle, CycleReport } from './cycles.schema.js';

type Row = Awaited<ReturnType<Tx['evolverCycle']['findUniqueOrThrow']>>;

function toCycle(row: Row): Cycle {
  return {
    id: row.id,
    trigger: row.trigger === 'schedule' ? 'schedule' : 'request',
    dryRun: row.dryRun,
    state: row.state,
    startedAt: row.startedAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
    report: row.report === null ? null : CycleReport.parse(row.report),
    error: row.error,
  };
}

@Injectable()
export class CycleRepository {
  async start(tx: Tx, cycle: { id: string; trigger: string; dryRun: boolean; startedAt: Date }): Promise<void> {
    await tx.evolverCycle.create({ data: { ...cycle, state: 'running' } });
  }

  async complete(tx: Tx, id: string, report: CycleReport, at: Date): Promise<Cycle> {
    return toCycle(
      await tx.evolverCycle.update({
        where: { id },
        data: { state: 'completed', report: { ...report }, finishedAt: at },
      }),
    );
  }

  async fail(tx: Tx, id: string, error: string, at: Date): Promise<void> {
    await tx.evolverCycle.update({ where: { id }, data: { state: 'failed', error, finishedAt: at } });
  }

  async find(tx: Tx, id: string): Promise<Cycle | undefined> {
    const row = await tx.evolverCycle.findUnique({ where: { id } });
    return readRow('evolver_cycle', row, toCycle);
  }

  count(tx: Tx): Promise<number> {
    return tx.evolverCycle.count();
  }

  /** Newest first, from the one after `after` on; nothing if there is no such cycle. `next` continues the list. */
  async page(
    tx: Tx,
    { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<{ readonly cycles: Cycle[]; readonly next: string | null }> {
    const rows = await tx.evolverCycle.findMany({
      orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
      take: limit + 1,
      ...(after === undefined ? {} : { cursor: { id: after }, skip: 1 }),
    });
    const page = rows.slice(0, limit);
    return {
      cycles: readRows('evolver_cycle', page, toCycle),
      next: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
    };
  }
}
