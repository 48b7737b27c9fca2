import { Injectable } from '@nestjs/common';
import type { NamedPerson } from '../../access/identity/stated-owner.js';
import type { Tx } from '../../platform/database/database.js';

/** Empty texts: every project, every session. */
export interface StoredPause {
  readonly id: string;
  readonly personId: string;
  readonly project: string;
  readonly session: string;
  readonly createdAt: Date;
  readonly until: Date | null;
}

export interface PauseOfPerson extends StoredPause, NamedPerson {}

@Injectable()
export class DeliveryPauseRepository {
  /** Reads the person and locks the row until the transaction ends, so that their pauses are counted one by one. */
  async lockPerson(tx: Tx, id: string): Promise<NamedPerson | undefined> {
    const [person] = await tx.$queryRaw<NamedPerson[]>`
      SELECT "name", "email" FROM "principal" WHERE "id" = ${id}::uuid AND "kind" = 'person' FOR NO KEY UPDATE`;
    return person;
  }

  async deleteEnded(tx: Tx, personId: string, now: Date): Promise<void> {
    await tx.deliveryPause.deleteMany({ where: { personId, until: { lte: now } } });
  }

  count(tx: Tx, personId: string): Promise<number> {
    return tx.deliveryPause.count({ where: { personId } });
  }

  /** Returns false if the person has paused the same already. */
  async insert(tx: Tx, pause: StoredPause): Promise<boolean> {
    const { count } = await tx.deliveryPause.createMany({ data: pause, skipDuplicates: true });
    return count === 1;
  }

  async find(tx: Tx, id: string): Promise<StoredPause | undefined> {
    return (await tx.deliveryPause.findUnique({ where: { id } })) ?? undefined;
  }

  /** Returns false if it has been deleted meanwhile. */
  async delete(tx: Tx, id: string): Promise<boolean> {
    const { count } = await tx.deliveryPause.deleteMany({ where: { id } });
    return count === 1;
  }

  /** The pauses in force, of one person or of all, oldest first. */
  inForce(tx: Tx, now: Date, personId: string | null): Promise<PauseOfPerson[]> {
    return tx.$queryRaw<PauseOfPerson[]>`
      SELECT d."id"::text AS "id", d."person_id"::text AS "personId", d."project", d."session",
        d."created_at" AS "createdAt", d."until", p."name", p."email"
      FROM "delivery_pause" d JOIN "principal" p ON p."id" = d."person_id"
      WHERE (d."until" IS NULL OR d."until" > ${now}) AND (${personId}::uuid IS NULL OR d."person_id" = ${personId}::uuid)
      ORDER BY d."created_at", d."id"`;
  }
}
