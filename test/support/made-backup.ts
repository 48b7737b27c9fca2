import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backUp } from '../../src/operations/backup/backup.service.js';
import { tableFile } from '../../src/operations/backup/manifest.schema.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { readTables } from '../../src/platform/database/whole-database.js';
import { OwnPlace, startAt } from './own-place.js';
import { submitTestProposal } from './proposal-input.js';
import { openWholeDatabase } from './whole-database.js';

/** A backup of a small server with two approved proposals, a rejected one and an agent; and copies that were forged. */
export class MadeBackup {
  private readonly places: OwnPlace[] = [];

  private constructor(
    readonly source: OwnPlace,
    /** A sign-in of the administrator. */
    readonly token: string,
    /** The columns of each table, in the order of the backup. */
    readonly columns: ReadonlyMap<string, readonly string[]>,
  ) {}

  static async create(): Promise<MadeBackup> {
    const source = await (await OwnPlace.create()).migrated();
    const server = await startAt(source.config());
    for (const title of ['Alpha', 'Beta']) {
      const { id, artifactSha256 } = await submitTestProposal(server, title);
      await server.admin.proposals.approve(id, artifactSha256);
    }
    const { id } = await submitTestProposal(server, 'Gamma');
    await server.admin.proposals.reject(id, 'not now \u2028 "quoted" \\ \u{1f600}');
    await server.admin.agents.add({ name: 'Ada' });
    await server.settled();
    await server.close();
    await backUp(source.config(), join(source.folder, 'backup'));
    const empty = await openWholeDatabase({ embedded: true });
    const tables = await empty.database.snapshot((session) => readTables(session));
    await empty.close();
    const columns = new Map(tables.map(({ name, columns: all }) => [name, all.map((column) => column.name)]));
    return new MadeBackup(source, server.token, columns);
  }

  get folder(): string {
    return join(this.source.folder, 'backup');
  }

  /** An empty place, removed by `removePlaces`. */
  async place(): Promise<OwnPlace> {
    const made = await OwnPlace.create();
    this.places.push(made);
    return made;
  }

  /** A copy of the backup in which `change` edits a file, with corrected checksums. */
  async forged(change: (copy: string) => void): Promise<string> {
    const copy = join((await this.place()).folder, 'forged');
    cpSync(this.folder, copy, { recursive: true });
    change(copy);
    const manifest = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'));
    for (const path of Object.keys(manifest.files)) manifest.files[path] = sha256(readFileSync(join(copy, path)));
    for (const table of Object.keys(manifest.rows)) manifest.rows[table] = linesOf(copy, table).length;
    writeFileSync(join(copy, 'manifest.json'), JSON.stringify(manifest));
    return copy;
  }

  /** The row of a table with another value in a column. */
  withValue(table: string, line: string, column: string, value: string): string {
    const row = JSON.parse(line);
    row[this.columns.get(table)?.indexOf(column) ?? -1] = value;
    return JSON.stringify(row);
  }

  async removePlaces(): Promise<void> {
    for (const one of this.places.splice(0)) await one.remove();
  }

  async remove(): Promise<void> {
    await this.removePlaces();
    await this.source.remove();
  }
}

/** The rows of a table in a backup, as text. */
export const linesOf = (copy: string, table: string): string[] =>
  readFileSync(join(copy, tableFile(table)), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

export const writeLines = (copy: string, table: string, lines: readonly string[]): void =>
  writeFileSync(join(copy, tableFile(table)), lines.map((line) => `${line}\n`).join(''));
