import { createHash } from 'node:crypto';
import { GENESIS } from '../../journal/chain.js';

/** What a table holds: the number of its rows, and the SHA-256 of their text in the order of the key. */
export interface TableContent {
  readonly rows: number;
  readonly sha256: string;
}

/** By the name of the table. */
export type Contents = Readonly<Record<string, TableContent>>;

/** Called after each batch with the table and the number of its rows so far. */
export type OnRows = (table: string, rows: number) => void;

/** The text of these rows in a file. */
export const linesOf = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join('');

/** Counts and hashes the rows of one table. */
export class ContentDigest {
  private readonly hash = createHash('sha256');
  private count = 0;

  add(rows: readonly string[]): void {
    this.hash.update(linesOf(rows));
    this.count += rows.length;
  }

  get rows(): number {
    return this.count;
  }

  /** Called once, at the end. */
  finish(): TableContent {
    return { rows: this.count, sha256: this.hash.digest('hex') };
  }
}

/** The rows that the migrations themselves write: the head of an empty journal. Every other table starts empty. */
export const ROWS_OF_MIGRATIONS: ReadonlyMap<string, string> = new Map([
  ['journal_head', JSON.stringify(['1', '0', GENESIS])],
]);

/** The first table whose content differs, for a message. */
export function differingTable(found: Contents, wanted: Contents): string | undefined {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].sort();
  return names.find((name) => found[name]?.rows !== wanted[name]?.rows || found[name]?.sha256 !== wanted[name]?.sha256);
}
