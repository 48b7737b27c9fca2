import { compareText } from '../base/compare-text.js';
import type { RowSession } from './whole-database.js';

export interface Column {
  readonly name: string;
  /** As in SQL: `timestamp(3) with time zone`. */
  readonly type: string;
  readonly isText: boolean;
}

/** A table that refers to another one, or to itself. */
export interface Reference {
  readonly constraint: string;
  readonly table: string;
}

export interface Table {
  readonly name: string;
  /** Without those that the database computes. */
  readonly columns: readonly Column[];
  /** Names of the columns of the primary key; empty without one. */
  readonly key: readonly string[];
  readonly references: readonly Reference[];
}

export interface Sequence {
  readonly name: string;
  /** Null before the first use. A bigint as text. */
  readonly value: string | null;
}

/**
 * Returns all tables of the schema but the history of migrations, from the catalogue, so that none can be forgotten.
 * Each comes after the tables that it refers to, as far as they do not refer to it.
 */
export async function readTables(session: RowSession): Promise<Table[]> {
  const tables = await session.query<Table>(`
    SELECT c.relname::text AS "name",
      (SELECT coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
          'isText', a.attcollation <> 0) ORDER BY a.attnum), '[]')
        FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      ) AS "columns",
      (SELECT coalesce(json_agg(a.attname ORDER BY k.place), '[]')
        FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY k(attnum, place)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
        WHERE i.indrelid = c.oid AND i.indisprimary) AS "key",
      (SELECT coalesce(json_agg(json_build_object('constraint', f.conname, 'table', t.relname) ORDER BY f.conname), '[]')
        FROM pg_constraint f JOIN pg_class t ON t.oid = f.confrelid
        WHERE f.conrelid = c.oid AND f.contype = 'f') AS "references"
    FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relname <> '_prisma_migrations'`);
  return inOrderOfReference(tables);
}

/** Orders tables after those that they refer to. In a circle of references the order is that of the names. */
export function inOrderOfReference(tables: readonly Table[]): Table[] {
  const waiting = [...tables].sort((a, b) => compareText(a.name, b.name));
  const ordered: Table[] = [];
  while (waiting.length > 0) {
    const left = new Set(waiting.map(({ name }) => name));
    const isFree = ({ name, references }: Table) => references.every(({ table }) => table === name || !left.has(table));
    const next = Math.max(waiting.findIndex(isFree), 0);
    ordered.push(...waiting.splice(next, 1));
  }
  return ordered;
}

/** The references that do not point back in this order: their rows may arrive before the rows that they refer to. */
export function forwardReferences(ordered: readonly Table[]): { table: string; constraint: string }[] {
  const place = new Map(ordered.map(({ name }, at) => [name, at]));
  return ordered.flatMap(({ name, references }, at) =>
    references
      .filter(({ table }) => (place.get(table) ?? at) >= at)
      .map(({ constraint }) => ({ table: name, constraint })),
  );
}

export function readSequences(session: RowSession): Promise<Sequence[]> {
  return session.query<Sequence>(`
    SELECT sequencename::text AS "name", last_value::text AS "value" FROM pg_sequences
    WHERE schemaname = current_schema() ORDER BY sequencename COLLATE "C"`);
}

/** Continues sequences where those of another database stand. Not undone by a rollback, and repeated by a second try. */
export async function setSequences(session: RowSession, sequences: readonly Sequence[]): Promise<void> {
  for (const { name, value } of sequences)
    if (value !== null)
      await session.query('SELECT setval(quote_ident($1)::regclass, $2::bigint, true)', [name, value]);
}
