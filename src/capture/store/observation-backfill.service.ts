import { Injectable } from '@nestjs/common';
import { WorkerDatabase } from '../../platform/database/database.js';
import { ExecutionRepository } from './execution.repository.js';
import { ObservationRepository } from './observation.repository.js';
import { Observer } from './observer.service.js';
import type { StoredObservations } from './stored-observations.js';

/** Observes executions that capture has not processed yet, or processed with an earlier version of the rules. */
@Injectable()
export class ObservationBackfill {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly executions: ExecutionRepository,
    private readonly observations: ObservationRepository,
    private readonly observer: Observer,
  ) {}

  /** Observes these executions and stores the result. Returns the observations by execution row id. */
  async run(ids: readonly string[]): Promise<Map<string, StoredObservations>> {
    const bodies = new Map<string, StoredObservations>();
    if (ids.length === 0) return bodies;
    const { client } = this.database;
    for (const { report, ...stored } of await this.executions.findByIds(client, ids)) {
      const { body } = await this.observer.observe({ ...stored, report, rootExecutionKey: stored.id });
      await this.observations.upsert(client, [{ executionId: stored.id, body }]);
      bodies.set(stored.id, body);
    }
    return bodies;
  }
}
