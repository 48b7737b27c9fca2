import { Injectable } from '@nestjs/common';
import { readRow, readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import type { Prisma } from '../../platform/generated/prisma/client.js';
import type { MemoryEntry, TombstoneQuery } from '../store/memory.schema.js';
import { type Row, toEntry } from '../store/memory-row.js';

/** A memory that has ended, and the ids of what may have ended it. */
export interface EndedMemory {
  readonly memory: MemoryEntry;
  readonly endedAt: Date;
  /** Runs, and the decision on an org entry. What they did first at that time ended it. */
  readonly causes: readonly string[];
}

@Injectable()
export class TombstoneRepository {
  /** Newest end first, and the number of all that match. */
  async list(tx: Tx, query: TombstoneQuery): Promise<{ ended: EndedMemory[]; total: number }> {
    const { agent, scope, supersededBy, after, limit } = query;
    const matching: Prisma.MemoryWhereInput = {
      ...(agent ? { agentId: agent } : {}),
      scope: scope ?? { not: 'project' },
      ...(supersededBy ? { supersededById: supersededBy } : {}),
    };
    const last = after === undefined ? null : await tx.memory.findUnique({ where: { id: after } });
    const rows = await tx.memory.findMany({
      where: { ...matching, supersededAt: { not: null }, ...(last ? behind(last) : {}) },
      orderBy: [{ supersededAt: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    const total = await tx.memory.count({ where: { ...matching, supersededAt: { not: null } } });
    return { ended: await this.withCauses(tx, rows), total };
  }

  /** Undefined if there is no such memory, or if it is live. */
  async find(tx: Tx, id: string): Promise<EndedMemory | undefined> {
    const row = await tx.memory.findUnique({ where: { id, scope: { not: 'project' } } });
    return row === null ? undefined : readRow('memory', (await this.withCauses(tx, [row]))[0] ?? null, (one) => one);
  }

  private async withCauses(tx: Tx, rows: readonly Row[]): Promise<EndedMemory[]> {
    const orgIds = rows.filter(({ scope }) => scope === 'org').map(({ id }) => id);
    const decisions = await tx.proposal.findMany({
      where: { supersedesId: { in: orgIds }, state: 'approved' },
      select: { id: true, supersedesId: true },
    });
    return readRows('memory', rows, (row) => ({
      memory: toEntry(row),
      endedAt: row.supersededAt,
      causes: [
        ...decisions.filter(({ supersedesId }) => supersedesId === row.id).map(({ id }) => id),
        ...[row.endedByRunId, row.createdByRunId].filter((id) => id !== null),
      ],
    })).flatMap(({ endedAt, ...one }) => (endedAt === null ? [] : [{ ...one, endedAt }]));
  }
}

/** Several memories may end at once, so that the moment alone is no place in the list. */
const behind = ({ id, supersededAt }: Row): Prisma.MemoryWhereInput =>
  supersededAt === null ? {} : { OR: [{ supersededAt: { lt: supersededAt } }, { supersededAt, id: { lt: id } }] };
