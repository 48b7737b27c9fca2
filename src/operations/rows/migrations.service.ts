import type { Config } from '../../platform/config/config.js';
import { WholeDatabase } from '../../platform/database/whole-database.js';
import type { WorkerRoleState } from '../../platform/database/worker-role-advice.js';

export interface MigrationResult {
  readonly database: 'embedded' | 'postgresql';
  /** Names of those that were applied now. */
  readonly applied: readonly string[];
  readonly missing: readonly string[];
  /** Undefined if the role of background work is in force, if it was not looked at, or if there is none (embedded). */
  readonly role: WorkerRoleState | undefined;
}

/** Says which migrations are missing, and writes nothing. */
export async function checkMigrations(config: Config): Promise<MigrationResult> {
  return on(config, async (database) => {
    const { missing } = await database.migrationState();
    return { database: database.kind, applied: [], missing: missing.map(({ name }) => name), role: undefined };
  });
}

/** Applies the missing migrations, and installs the role of background work as far as the login may. */
export async function applyMigrations(config: Config): Promise<MigrationResult> {
  return on(config, async (database) => {
    const applied = await database.migrate();
    return { database: database.kind, applied, missing: [], role: await database.workerRoleProblem() };
  });
}

async function on<T>({ databaseUrl, dataDir }: Config, work: (database: WholeDatabase) => Promise<T>): Promise<T> {
  const database = await WholeDatabase.open({ url: databaseUrl, dataDir });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
