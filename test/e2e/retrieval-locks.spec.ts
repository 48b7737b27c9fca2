import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { RetrievalRecorder } from '../../src/recall/strategies/retrieval-recorder.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { storedMemory } from '../support/memories.js';

const FIRST = '00000000-0000-4000-8000-000000000001';
const SECOND = '00000000-0000-4000-8000-000000000002';

let app: TestApplication;
beforeAll(async () => {
  app = await startTestApplication();
});
afterAll(() => app.close());

describe('processes that count recalls of the same memories', () => {
  it('lock them in one order, so that none waits for the other for ever', async () => {
    const { id: agentId, client } = await app.agent('Ada');
    // Stored in the other order: a statement that reads the table meets them so.
    for (const id of [SECOND, FIRST])
      await storedMemory(app.database, {
        id,
        agentId,
        discovery: `The zeppelin needs perl ${id}`,
        createdAt: app.clock.now(),
      });
    const { memories } = await client.recall({ query: 'zeppelin perl', limit: 5 });
    expect(memories.map(({ id }) => id).sort()).toEqual([FIRST, SECOND]);
    const recorder = app.app.get(RetrievalRecorder);
    // The embedded database has one session, in which nothing waits.
    if (app.databaseUrl !== undefined) await whileFirstIsLocked(app.databaseUrl, () => recorder.wake());
    recorder.wake();
    await recorder.idle();
    const counts = await app.database.client.memory.findMany({
      where: { scope: 'agent', agentId },
      select: { relevanceCount: true },
    });
    expect(counts).toEqual([{ relevanceCount: 1 }, { relevanceCount: 1 }]);
  });
});

/** Another session holds the first memory; while the work waits for that, it must not hold the second. */
async function whileFirstIsLocked(connectionString: string, work: () => void): Promise<void> {
  const other = new pg.Client({ connectionString });
  await other.connect();
  try {
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM "memory" WHERE "id" = $1 FOR UPDATE', [FIRST]);
    work();
    for (let waiting = 0; waiting === 0; )
      waiting =
        (
          await other.query(
            'SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))',
          )
        ).rowCount ?? 0;
    await other.query('SELECT 1 FROM "memory" WHERE "id" = $1 FOR UPDATE NOWAIT', [SECOND]);
    await other.query('ROLLBACK');
  } finally {
    await other.end();
  }
}
