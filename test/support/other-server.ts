import { randomUUID } from 'node:crypto';
import { Database, type Tx } from '../../src/platform/database/database.js';
import type { RolloutPercent } from '../../src/skills/delivery/audience.js';
import type { TestApplication } from './application.js';
import { startBeside } from './application-beside.js';
import { storedMemory } from './memories.js';

/** A second writer on the database of a test application. */
export interface OtherServer {
  /** Stores a memory of an agent. Returns its id. */
  remember(agentId: string, discovery: string): Promise<string>;
  retire(memoryId: string): Promise<void>;
  rollout(skillName: string, percent: RolloutPercent): Promise<void>;
  /** Revokes all credentials of a principal. */
  revoke(principalId: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts a second server. On the embedded database, which allows only one, it runs statements around the server. */
export const startOtherServer = (app: TestApplication): Promise<OtherServer> =>
  app.databaseUrl === undefined ? Promise.resolve(statements(app)) : server(app);

async function server(first: TestApplication): Promise<OtherServer> {
  const { app, client, close } = await startBeside(first);
  const database = app.get(Database);
  const admin = client(first.adminToken);
  return {
    remember: (agentId, discovery) => storedMemory(database, { agentId, discovery, createdAt: first.clock.now() }),
    retire: async (id) => {
      await admin.lesson.retire(id, 'no longer so');
    },
    rollout: async (skillName, percent) => {
      await admin.skills.rollout(skillName, percent);
    },
    revoke: async (id) => {
      await admin.principals.disable(id);
    },
    close,
  };
}

function statements({ database, clock }: TestApplication): OtherServer {
  // Without a transaction, from which the server would notice the change.
  const past = { transaction: <T>(work: (tx: Tx) => Promise<T>) => work(database.client) };
  return {
    remember: (agentId, discovery) => storedMemory(past, { agentId, discovery, createdAt: clock.now() }),
    retire: async (id) => {
      await database.client.memory.update({
        where: { id },
        data: { supersededAt: clock.now(), endReason: 'retired' },
      });
    },
    rollout: async (skillName, percent) => {
      const { memory, skillRollout } = database.client;
      const where = { scope: 'org', skillName, supersededAt: null } as const;
      const { id: memoryId, version } = await memory.findFirstOrThrow({ where });
      const since = clock.now();
      await skillRollout.updateMany({ where: { memoryId, until: null }, data: { until: since } });
      await skillRollout.create({
        data: { id: randomUUID(), memoryId, skillName, version: version ?? 1, percent, since },
      });
    },
    revoke: async (principalId) => {
      await database.client.credential.updateMany({ where: { principalId }, data: { revokedAt: clock.now() } });
    },
    close: async () => {},
  };
}
