import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database.js';
import type { SqlClient } from '../platform/database/sql-client.js';
import type { ChainEntry, ChainPosition } from './chain.js';
import { signerOf } from './checkpoint.js';
import type { JournalQuery } from './journal.schema.js';

type Row = Omit<ChainEntry, 'seq' | 'at'> & { seq: bigint; at: Date };

const fromRow = (row: Row): ChainEntry => ({ ...row, seq: Number(row.seq), at: row.at.toISOString() });

/** Where to look for an entry: the first one at or after `from`. */
export interface Mention {
  readonly key: string;
  readonly from: Date;
  /** Any entry about one of these subjects. */
  readonly about: readonly string[];
  /** An entry about one of these subjects that contains `name`. */
  readonly naming: readonly string[];
  readonly name: string;
}

export interface StoredCheckpoint {
  /** The number of entries that it covers. */
  readonly size: number;
  readonly at: Date;
  readonly note: string;
  /** The roots of the full subtrees, largest first. */
  readonly subtrees: string[];
}

@Injectable()
export class JournalRepository {
  /** Locks the head until the transaction ends, so that entries are appended one after another. */
  async lockHead(tx: SqlClient): Promise<ChainPosition> {
    const [head] = await tx.$queryRaw<{ seq: bigint; hash: string }[]>`
      SELECT "seq", "hash" FROM "journal_head" WHERE "id" = 1 FOR UPDATE`;
    if (!head) throw new Error('the journal has no head');
    return { seq: Number(head.seq), hash: head.hash };
  }

  async head(tx: Tx): Promise<ChainPosition> {
    const head = await tx.journalHead.findUniqueOrThrow({ where: { id: 1 } });
    return { seq: Number(head.seq), hash: head.hash };
  }

  /** Appends consecutive entries, the first of which follows the head. */
  async append(tx: SqlClient, entries: readonly ChainEntry[]): Promise<void> {
    // One statement, because every other append waits for the head meanwhile. `data` is text, which must not be
    // reformatted.
    await tx.$executeRaw`
      WITH "entry" AS (
        INSERT INTO "journal_entry" ("seq", "at", "actor_kind", "actor_id", "actor_name", "action", "subject_type",
          "subject_id", "data", "previous_hash", "hash")
        SELECT "seq", "at", "actorKind", "actorId", "actorName", "action", "subjectType",
          "subjectId", "data", "previousHash", "hash"
        FROM jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) AS e(
          "seq" bigint, "at" timestamptz, "actorKind" text, "actorId" text, "actorName" text, "action" text,
          "subjectType" text, "subjectId" text, "data" text, "previousHash" text, "hash" text)
        ORDER BY "seq"
        RETURNING "seq", "hash")
      UPDATE "journal_head" SET "seq" = "entry"."seq", "hash" = "entry"."hash"
      FROM (SELECT * FROM "entry" ORDER BY "seq" DESC LIMIT 1) "entry" WHERE "id" = 1`;
  }

  async list(tx: Tx, query: JournalQuery): Promise<ChainEntry[]> {
    const newest = query.order === 'newest';
    const rows = await tx.journalEntry.findMany({
      where: {
        ...(query.after > 0 ? { seq: newest ? { lt: BigInt(query.after) } : { gt: BigInt(query.after) } } : {}),
        ...(query.action ? { action: query.action } : {}),
        ...(query.subject ? { subjectId: query.subject } : {}),
      },
      orderBy: { seq: newest ? 'desc' : 'asc' },
      take: query.limit,
    });
    return rows.map(fromRow);
  }

  /** The first entry for each mention, by its key. */
  async firstMentions(tx: SqlClient, mentions: readonly Mention[]): Promise<Map<string, ChainEntry>> {
    if (mentions.length === 0) return new Map();
    const rows = await tx.$queryRaw<(Row & { key: string })[]>`
      SELECT m."key", j.* FROM jsonb_to_recordset(${JSON.stringify(mentions)}::jsonb)
          AS m("key" text, "name" text, "from" timestamptz, "about" text[], "naming" text[])
        CROSS JOIN LATERAL (
          SELECT "seq", "at", "actor_kind" AS "actorKind", "actor_id" AS "actorId", "actor_name" AS "actorName", "action",
            "subject_type" AS "subjectType", "subject_id" AS "subjectId", "data", "previous_hash" AS "previousHash", "hash"
            FROM "journal_entry"
           WHERE "subject_type" IN ('memory', 'agent', 'proposal', 'upkeep_run', 'consolidation_run') AND "at" >= m."from"
             AND ("subject_id" = ANY (m."about")
               OR "subject_id" = ANY (m."naming") AND position(m."name" IN "data") > 0)
           -- By time first: by the number alone, PostgreSQL may walk the whole journal.
           ORDER BY "at", "seq" LIMIT 1) j`;
    return new Map(rows.map(({ key, ...row }) => [key, fromRow(row)]));
  }

  async after(tx: Tx, seq: number, limit: number): Promise<ChainEntry[]> {
    const rows = await tx.journalEntry.findMany({
      where: { seq: { gt: BigInt(seq) } },
      orderBy: { seq: 'asc' },
      take: limit,
    });
    return rows.map(fromRow);
  }

  async addCheckpoint(tx: Tx, checkpoint: StoredCheckpoint): Promise<void> {
    await tx.journalCheckpoint.create({ data: { ...checkpoint, size: BigInt(checkpoint.size) } });
  }

  async lastCheckpoint(tx: Tx): Promise<StoredCheckpoint | undefined> {
    const row = await tx.journalCheckpoint.findFirst({ orderBy: { size: 'desc' } });
    return row ? { ...row, size: Number(row.size) } : undefined;
  }

  /** Returns each key that signed checkpoints, as `<name>+<key hash>`, with its newest one. */
  async signers(tx: SqlClient): Promise<{ signer: string; note: string }[]> {
    // The last line of a note is `— <name> <base64>`, whose first four bytes are the hash of the key.
    const found = await tx.$queryRaw<{ note: string }[]>`
      SELECT DISTINCT ON (left(split_part(split_part("note", E'\\n\\n— ', 2), E'\\n', 1), -87)) "note"
        FROM "journal_checkpoint"
       ORDER BY left(split_part(split_part("note", E'\\n\\n— ', 2), E'\\n', 1), -87), "size" DESC`;
    return found.map(({ note }) => ({ signer: signerOf(note), note }));
  }

  /** Returns the checkpoints that cover more than `from` and at most `to` entries. */
  async checkpoints(tx: Tx, from: number, to: number): Promise<StoredCheckpoint[]> {
    const rows = await tx.journalCheckpoint.findMany({
      where: { size: { gt: BigInt(from), lte: BigInt(to) } },
      orderBy: { size: 'asc' },
    });
    return rows.map((row) => ({ ...row, size: Number(row.size) }));
  }
}
