import { Injectable } from '@nestjs/common';
import type { Place } from '../access/remit.js';
import type { Tx } from '../platform/database.js';

const NOWHERE: Place = { department: null, role: null };

/** The agents, as the ones that a skill is learned from and given to. */
@Injectable()
export class AudienceRepository {
  /** Agents that an approved skill reaches: git and the API give it to all of them. */
  reach(tx: Tx): Promise<number> {
    return tx.principal.count({ where: { kind: 'AGENT', disabledAt: null } });
  }

  /** Where these agents stand, each place once; one whom nobody registered stands nowhere. */
  async places(tx: Tx, names: readonly string[]): Promise<Place[]> {
    const rows = await tx.principal.findMany({
      where: { kind: 'AGENT', name: { in: [...names] } },
      select: { department: true, role: true },
    });
    const found = new Map(rows.map((place) => [JSON.stringify([place.department, place.role]), place]));
    if (rows.length < new Set(names).size) found.set(JSON.stringify([null, null]), NOWHERE);
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place);
  }
}
