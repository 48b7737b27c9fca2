import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Tx } from '../../platform/database/database.js';
import type { ProposerUsage } from '../spending/proposer-usage.schema.js';

/** As the table's constraint has them. */
const State = z.enum(['prepared', 'submitted', 'ended', 'lost']);

export interface OpenBatch {
  readonly id: string;
  /** Null: it was prepared, and nobody knows whether it was sent. */
  readonly providerId: string | null;
  readonly createdAt: Date;
}

@Injectable()
export class ProposerBatchRepository {
  async prepare(tx: Tx, batch: { id: string; payloads: number; createdAt: Date }): Promise<void> {
    await tx.proposerBatch.create({ data: { ...batch, state: 'prepared' } });
  }

  async markSubmitted(tx: Tx, id: string, providerId: string, submittedAt: Date): Promise<void> {
    await tx.proposerBatch.update({ where: { id }, data: { state: 'submitted', providerId, submittedAt } });
  }

  async end(tx: Tx, id: string, state: 'ended' | 'lost', note: string, endedAt: Date): Promise<void> {
    await tx.proposerBatch.update({ where: { id }, data: { state, note, endedAt } });
  }

  listOpen(tx: Tx): Promise<OpenBatch[]> {
    return tx.proposerBatch.findMany({
      where: { state: { in: ['prepared', 'submitted'] } },
      select: { id: true, providerId: true, createdAt: true },
      orderBy: { createdAt: 'asc' },
    });
  }

  /** What the provider calls those that were made since. */
  async providerIds(tx: Tx, since: Date): Promise<Set<string>> {
    const rows = await tx.proposerBatch.findMany({
      where: { createdAt: { gte: since }, providerId: { not: null } },
      select: { providerId: true },
    });
    return new Set(rows.flatMap(({ providerId }) => providerId ?? []));
  }

  /** The last ones, newest first. */
  async list(tx: Tx, take: number): Promise<ProposerUsage['batches']> {
    const rows = await tx.proposerBatch.findMany({ orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take });
    return rows.map(({ id, state, payloads, createdAt, endedAt, note }) => ({
      id,
      state: State.parse(state),
      payloads,
      createdAt: createdAt.toISOString(),
      endedAt: endedAt?.toISOString() ?? null,
      note,
    }));
  }
}
