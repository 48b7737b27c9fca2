import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { Redacted } from '../../untrusted/redaction/redact.js';
import { Evidence } from './evidence.schema.js';

export type NewEvidence = Omit<Evidence, 'at' | 'reason'> & { readonly at: Date; readonly reason: Redacted };

type Row = Awaited<ReturnType<Tx['memoryEvidence']['findUniqueOrThrow']>>;

const toEvidence = ({ at, ...row }: Row): Evidence => Evidence.parse({ ...row, at: at.toISOString() });

@Injectable()
export class MemoryEvidenceRepository {
  async add(tx: Tx, evidence: NewEvidence): Promise<void> {
    await tx.memoryEvidence.create({ data: evidence });
  }

  /** Everything that was said of a memory, the oldest first. */
  async of(tx: Tx, memoryId: string): Promise<Evidence[]> {
    const rows = await tx.memoryEvidence.findMany({ where: { memoryId }, orderBy: [{ at: 'asc' }, { id: 'asc' }] });
    return rows.map(toEvidence);
  }
}
