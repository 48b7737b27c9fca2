import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { WholeDatabase } from '../../platform/database/whole-database.js';
import { OperationError } from './operation.errors.js';

export interface DatabasePlace {
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
}

/** Whether an embedded database lies in the folder. */
export const hasEmbedded = (dataDir: string): boolean => existsSync(join(dataDir, 'PG_VERSION'));

/**
 * Opens the database of the settings. Throws `OperationError` where there is no embedded database yet: opening it would
 * create one.
 */
export async function openDatabase(
  { databaseUrl, dataDir }: DatabasePlace,
  consequence: string,
): Promise<WholeDatabase> {
  if (databaseUrl === undefined && !hasEmbedded(dataDir)) {
    const message = `${dataDir} holds no database. ${consequence} Set GUILDBOOK_DATA_DIR, or DATABASE_URL for PostgreSQL.`;
    throw new OperationError('database.not_found', message);
  }
  return WholeDatabase.open({ url: databaseUrl, dataDir });
}
