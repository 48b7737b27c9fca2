import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/base/clock.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import type { WriterList, WriterQuery } from './writer-record.schema.js';
import { writerRecords } from './writer-records.js';
import { WriterRecordRepository } from './writer-records.repository.js';

/** How often reviewers approve, edit and reject what each writer proposed. */
@Injectable()
export class WriterRecords {
  constructor(
    private readonly clock: Clock,
    private readonly database: WorkerDatabase,
    private readonly repository: WriterRecordRepository,
  ) {}

  /** Of the proposals submitted in the last `days` days. */
  async list({ days }: WriterQuery): Promise<WriterList> {
    const to = this.clock.now();
    const from = new Date(to.getTime() - days * DAY_MS);
    const items = writerRecords(await this.repository.since(this.database.client, from));
    return { window: { from: from.toISOString(), to: to.toISOString() }, items };
  }
}
