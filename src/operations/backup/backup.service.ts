import { join, resolve } from 'node:path';
import { SystemClock } from '../../platform/base/clock.js';
import type { Config } from '../../platform/config/config.js';
import { programPath } from '../../platform/config/environment.js';
import { VERSION } from '../../platform/config/version.js';
import {
  type RowSession,
  readSequences,
  readTables,
  type WholeDatabase,
} from '../../platform/database/whole-database.js';
import { SkillsCopy } from '../../skills/publishing/skills-copy.service.js';
import { openDatabase } from '../rows/open-database.service.js';
import { OperationError } from '../rows/operation.errors.js';
import { verifyRows } from '../rows/row-check.service.js';
import { readContents } from '../rows/row-copy.service.js';
import { readSigningKey, type SigningKey } from '../rows/signing-key.service.js';
import { linesOf, type OnRows } from '../rows/table-content.js';
import { NewBackup } from './backup-folder.service.js';
import { KEY_FILE, type Manifest, SKILLS_FILE, tableFile } from './manifest.schema.js';
import { findSkillsRecord, type SkillsRecord } from './skills-record.repository.js';

export interface BackupResult {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Signed heads whose key is neither this server's nor a trusted one. */
  readonly unknownCheckpoints: number;
}

/**
 * Writes database, skills repository and signing key into one new folder, verified. On PostgreSQL a server may go on
 * working. Throws `OperationError`, and then leaves nothing behind.
 */
export async function backUp(config: Config, to: string, onRows: OnRows = () => undefined): Promise<BackupResult> {
  const folder = resolve(to);
  const key = await readSigningKey(config);
  const backup = await NewBackup.create(folder);
  let database: WholeDatabase | undefined;
  try {
    database = await openDatabase(config, 'There is nothing to back up.');
    await database.requireMigrated();
    const { migrations, kind } = { migrations: (await database.migrationState()).applied, kind: database.kind };
    const { record, unknown, ...rows } = await database.snapshot((session) =>
      writeTables(session, backup, key, config.journalName, onRows),
    );
    // After the snapshot, so that the folder has every commit that the rows name.
    const skills = record === undefined ? null : await writeSkills(backup, config, record);
    const file = await backup.file(KEY_FILE);
    await file.write(key.pem);
    await file.end();
    const createdAt = new SystemClock().now().toISOString();
    const state = { version: VERSION, createdAt, database: kind, migrations: [...migrations], skills, ...rows };
    return { folder, manifest: await backup.finish(state), unknownCheckpoints: unknown };
  } catch (error) {
    await backup.discard();
    throw error;
  } finally {
    await database?.close();
  }
}

async function writeTables(session: RowSession, backup: NewBackup, key: SigningKey, name: string, onRows: OnRows) {
  const rows: Record<string, number> = {};
  let open: { table: string; file: Awaited<ReturnType<NewBackup['file']>> } | undefined;
  const fileOf = async (table: string) => {
    if (open?.table === table) return open.file;
    await open?.file.end();
    open = { table, file: await backup.file(tableFile(table)) };
    return open.file;
  };
  const contents = await readContents(session, onRows, async (table, batch) =>
    (await fileOf(table.name)).write(linesOf(batch)),
  );
  await open?.file.end();
  for (const { name: table } of await readTables(session)) {
    rows[table] = contents[table]?.rows ?? 0;
    // Also for an empty table, so that a file that is missing is noticed.
    if (rows[table] === 0) await (await backup.file(tableFile(table))).end();
  }
  const { seq, hash, root, checkpoints } = await verifyRows(session, key.keys);
  const checkpoint = root === undefined ? null : key.keys.sign({ origin: name, size: seq, root, chain: hash });
  return {
    rows,
    sequences: await readSequences(session),
    journal: { name, verifierKey: key.keys.verifierKey(name), seq, hash, checkpoint },
    record: await findSkillsRecord(session.sql),
    unknown: checkpoints.unknown,
  };
}

async function writeSkills(backup: NewBackup, config: Config, record: SkillsRecord): Promise<Manifest['skills']> {
  const binary = { gitBinary: config.gitBinary, path: programPath() };
  const source = new SkillsCopy(config.skillsDir, binary);
  const file = join(backup.part, SKILLS_FILE);
  const scratch = join(backup.part, 'skills-check');
  const check = new SkillsCopy(scratch, binary);
  try {
    const own = await source.id();
    const copied = own === record.id ? await source.write(file) : undefined;
    if (copied === undefined)
      throw incomplete(`${config.skillsDir} is not the skills folder of this database. Set GUILDBOOK_SKILLS_DIR to it`);
    await check.read(file, copied, record.id);
    const commits = await check.commits();
    const missing = [record.known, ...record.published].find((commit) => commit !== null && !commits.has(commit));
    // A commit that is gone from the branches is published again by the server.
    if (missing !== undefined && (missing === record.known || (await source.commits()).has(missing ?? '')))
      throw incomplete(`${config.skillsDir} lacks the commit ${missing}, which this database has published`);
    if (Object.keys(copied.references).length > 0) await backup.adopt(SKILLS_FILE);
    return { id: record.id, known: record.known, ...copied, references: { ...copied.references } };
  } finally {
    await source.close();
    await check.close();
    await backup.remove('skills-check');
  }
}

function incomplete(reason: string): OperationError {
  return new OperationError('backup.incomplete', `${reason}. Nothing was written.`);
}
