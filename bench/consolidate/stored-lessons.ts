import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { Database } from '../../src/platform/database/database.js';
import type { StoredLesson } from './descendants.js';

/** Reads all private lessons of a database that no server uses: the routes do not show the keys of a lesson. */
export async function readLessons(where: { dataDir: string } | { url: string }): Promise<StoredLesson[]> {
  const database = await Database.open({ ...where, migrationsDir: join(PROJECT_ROOT, 'prisma', 'migrations') });
  try {
    const rows = await database.client.memory.findMany({ where: { scope: 'agent' }, orderBy: { id: 'asc' } });
    return rows.map((row) => ({
      id: row.id,
      agentId: row.agentId ?? '',
      failureKey: row.failureKey,
      remedyKey: row.remedyKey,
      discovery: row.discovery,
      action: row.action,
      witnesses: row.witnessCount,
      isLive: row.supersededAt === null,
      supersededById: row.supersededById,
      endReason: row.endReason,
      isWrittenByRun: row.createdByRunId !== null,
      isEndedByRun: row.endedByRunId !== null,
    }));
  } finally {
    await database.close();
  }
}
