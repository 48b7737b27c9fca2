import type { ChainEntry, ChainPosition } from '../../journal/chain.js';
import type { SqlClient } from '../../platform/database/sql-client.js';

type EntryRow = Omit<ChainEntry, 'seq' | 'at'> & { readonly seq: bigint; readonly at: Date };

/** The journal of a database without a server on it. */
export class JournalRows {
  constructor(private readonly sql: SqlClient) {}

  async head(): Promise<ChainPosition> {
    const [head] = await this.sql.$queryRaw<{ seq: bigint; hash: string }[]>`SELECT "seq", "hash" FROM "journal_head"`;
    if (!head) throw new Error('the journal has no head');
    return { seq: Number(head.seq), hash: head.hash };
  }

  async after(seq: number, limit: number): Promise<ChainEntry[]> {
    const rows = await this.sql.$queryRaw<EntryRow[]>`
      SELECT "seq", "at", "actor_kind" AS "actorKind", "actor_id" AS "actorId", "actor_name" AS "actorName", "action",
             "subject_type" AS "subjectType", "subject_id" AS "subjectId", "data", "previous_hash" AS "previousHash", "hash"
        FROM "journal_entry" WHERE "seq" > ${seq}::bigint ORDER BY "seq" LIMIT ${limit}::int`;
    return rows.map((row) => ({ ...row, seq: Number(row.seq), at: row.at.toISOString() }));
  }

  /** The signed heads after entry `from`, up to `to`. */
  async checkpoints(from: number, to: number): Promise<{ size: number; note: string }[]> {
    const rows = await this.sql.$queryRaw<{ size: bigint; note: string }[]>`
      SELECT "size", "note" FROM "journal_checkpoint"
       WHERE "size" > ${from}::bigint AND "size" <= ${to}::bigint ORDER BY "size"`;
    return rows.map(({ size, note }) => ({ size: Number(size), note }));
  }
}
