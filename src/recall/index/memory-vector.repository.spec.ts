import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { AT, GateRows } from '../../../test/support/gate-rows.js';
import { MemoryVectorRepository } from './memory-vector.repository.js';

let opened: TestDatabase;

beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(async () => {
  await opened.database.close();
  await opened.drop();
});

describe('the vectors of memories', () => {
  it('are stored and kept for lessons, and for no entry of a session memory', async () => {
    const { database } = opened;
    const rows = new GateRows(database);
    const lesson = rows.memory({ scope: 'agent', agent_id: await rows.principal('agent') });
    const written = { kind: 'fact', session_id: 's', written_by: 'agent', updated_at: AT };
    const entry = rows.memory({ scope: 'project', agent_id: lesson['agent_id'], ...written });
    for (const row of [lesson, entry]) await rows.insert('memory', row);
    const ids = [lesson, entry].map((row) => String(row['id']));
    const vectors = new MemoryVectorRepository();
    const kept = async () => (await vectors.find(database.client, 'e', ids)).map(({ memoryId }) => memoryId);
    const vector = { textSha256: 'x', vector: new Float32Array([1, 2]) };
    await database.transaction((tx) =>
      vectors.store(
        tx,
        'e',
        ids.map((memoryId) => ({ memoryId, ...vector })),
      ),
    );
    expect(await kept()).toEqual([lesson['id']]);
    // As the version before stores it.
    const memoryId = String(entry['id']);
    await database.transaction((tx) =>
      tx.memoryVector.create({ data: { memoryId, embedder: 'e', textSha256: 'x', vector: new Uint8Array(8) } }),
    );
    await database.transaction((tx) => vectors.forgetEnded(tx, ['e']));
    expect(await kept()).toEqual([lesson['id']]);
  });
});
