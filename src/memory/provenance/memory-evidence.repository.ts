import { Injectable } from '@nestjs/common';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import type { Redacted } from '../../untrusted/redaction/redact.js';
import { ProvenanceEvidence } from './evidence.schema.js';

export type NewProvenanceEvidence = Omit<ProvenanceEvidence, 'at' | 'reason'> & {
  readonly at: Date;
  readonly reason: Redacted;
};

type Row = Awaited<ReturnType<Tx['memoryEvidence']['findUniqueOrThrow']>>;

const toEvidence = ({ at, ...row }: Row): ProvenanceEvidence =>
  ProvenanceEvidence.parse({ ...row, at: at.toISOString() });

@Injectable()
export class MemoryEvidenceRepository {
  async add(tx: Tx, evidence: NewProvenanceEvidence): Promise<void> {
    await tx.memoryEvidence.create({ data: evidence });
  }

  /** All evidence on a memory, oldest first. */
  async findByMemory(tx: Tx, memoryId: string): Promise<ProvenanceEvidence[]> {
    const rows = await tx.memoryEvidence.findMany({ where: { memoryId }, orderBy: [{ at: 'asc' }, { id: 'asc' }] });
    return readRows('memory_evidence', rows, toEvidence);
  }
}
