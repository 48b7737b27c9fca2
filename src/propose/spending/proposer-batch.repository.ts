import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Tx } from '../../platform/database/database.js';
import type { ProposerUsage } from './proposer-usage.schema.js';

/** The same values as the constraint of the table. */
const State = z.enum(['prepared', 'submitted', 'ended', 'lost']);

/** The same values as the constraint of the table; `family` is of earlier versions. */
const Purpose = z.enum(['lesson', 'family']);

export interface OpenBatch {
  readonly id: string;
  /** Null: the batch was prepared, and it is unknown whether it was sent. */
  readonly providerId: string | null;
  readonly createdAt: Date;
}

@Injectable()
export class ProposerBatchRepository {
  /** `payloads`: the number of its questions. */
  async prepare(tx: Tx, batch: { id: string; payloads: number; createdAt: Date }): Promise<void> {
    await tx.proposerBatch.create({ data: { ...batch, purpose: 'lesson', state: 'prepared' } });
  }

  async markSubmitted(tx: Tx, id: string, providerId: string, submittedAt: Date): Promise<void> {
    await tx.proposerBatch.update({ where: { id }, data: { state: 'submitted', providerId, submittedAt } });
  }

  async end(tx: Tx, id: string, state: 'ended' | 'lost', note: string, endedAt: Date): Promise<void> {
    await tx.proposerBatch.update({ where: { id }, data: { state, note, endedAt } });
  }

  listOpen(tx: Tx): Promise<OpenBatch[]> {
    return tx.proposerBatch.findMany({
      where: { purpose: 'lesson', state: { in: ['prepared', 'submitted'] } },
      select: { id: true, providerId: true, createdAt: true },
      orderBy: { createdAt: 'asc' },
    });
  }

  /** Returns the provider's ids of the batches that were created since. */
  async providerIds(tx: Tx, since: Date): Promise<Set<string>> {
    const rows = await tx.proposerBatch.findMany({
      where: { createdAt: { gte: since }, providerId: { not: null } },
      select: { providerId: true },
    });
    return new Set(rows.flatMap(({ providerId }) => providerId ?? []));
  }

  /** Returns the latest batches, newest first. */
  async list(tx: Tx, take: number): Promise<ProposerUsage['batches']> {
    const rows = await tx.proposerBatch.findMany({ orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take });
    return rows.map(({ id, purpose, state, payloads, createdAt, endedAt, note }) => ({
      id,
      purpose: Purpose.parse(purpose),
      state: State.parse(state),
      payloads,
      createdAt: createdAt.toISOString(),
      endedAt: endedAt?.toISOString() ?? null,
      note,
    }));
  }
}
