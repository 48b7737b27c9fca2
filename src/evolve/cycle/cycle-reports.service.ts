import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { leaseHolder } from '../../platform/database/lease.js';
import { CycleRepository } from './cycle.repository.js';
import { shortened } from './cycle-report.js';
import type { Cycle, CycleList, CycleQuery } from './cycles.schema.js';

/** The cycle that runs holds it, under its own id. */
export const CYCLE_LEASE = 'evolver-cycle';
/** Why a cycle failed whose process was killed. */
export const DEAD = 'its process ended before it';

/** Reads what cycles found. */
@Injectable()
export class CycleReports {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly cycles: CycleRepository,
  ) {}

  /** Returns a page of cycles, newest first, with the first rows of each list of their reports. */
  async list({ limit, after }: Pick<CycleQuery, 'limit'> & Partial<CycleQuery>): Promise<CycleList> {
    const { cycles, next } = await this.cycles.page(this.database.client, { limit, after });
    const items = (await this.withDead(cycles)).map((cycle) =>
      cycle.report ? { ...cycle, report: shortened(cycle.report) } : cycle,
    );
    return { items, total: await this.cycles.count(this.database.client), next };
  }

  async show(id: string): Promise<Cycle> {
    const found = await this.cycles.find(this.database.client, id);
    const [cycle] = await this.withDead(found ? [found] : []);
    if (!cycle) throw new DomainError('not_found', 'evolver.unknown_cycle', `There is no cycle ${id}.`);
    return cycle;
  }

  /** A cycle that has lost its lease has ended with its process. The next cycle records that. */
  private async withDead(cycles: readonly Cycle[]): Promise<Cycle[]> {
    if (cycles.every(({ state }) => state !== 'running')) return [...cycles];
    const holder = await leaseHolder(this.database.client, CYCLE_LEASE, this.clock.now());
    return Promise.all(
      cycles.map(async (cycle) => {
        if (cycle.state !== 'running' || cycle.id === holder) return cycle;
        // Read again: a cycle records its end before it releases the lease.
        const now = (await this.cycles.find(this.database.client, cycle.id)) ?? cycle;
        return now.state === 'running' ? { ...now, state: 'failed', error: DEAD } : now;
      }),
    );
  }
}
