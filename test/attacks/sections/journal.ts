import pg from 'pg';
import { z } from 'zod';
import { type AttackedServer, type Attempt, attempt, type Section } from '../attack.js';

const Verification = z.object({ intact: z.boolean(), firstBroken: z.object({ reason: z.string() }).nullable() });

/**
 * By name, what the owner of the database does to the journal after removing its triggers. Cutting the tail together with
 * the head is noticed by the next signed head only, so it is not among them: see SECURITY.md.
 */
const MANIPULATIONS: [string, string][] = [
  ['an actor is renamed', `UPDATE journal_entry SET actor_name = 'another name' WHERE seq = 3`],
  ['a time is moved', `UPDATE journal_entry SET at = at - interval '1 hour' WHERE seq = 3`],
  ['a space is added', `UPDATE journal_entry SET data = data || ' ' WHERE seq = 3`],
  ['an action is changed', `UPDATE journal_entry SET action = 'agent.added' WHERE seq = 2`],
  ['an entry is deleted', 'DELETE FROM journal_entry WHERE seq = 3'],
  ['the first entry is deleted', 'DELETE FROM journal_entry WHERE seq = 1'],
  ['the tail is cut', 'DELETE FROM journal_entry WHERE seq > 4'],
  ['the table is emptied', 'TRUNCATE journal_entry'],
  [
    'two entries are swapped',
    'UPDATE journal_entry SET seq = -seq WHERE seq IN (2, 3); UPDATE journal_entry SET seq = 5 + seq WHERE seq < 0',
  ],
  ['a hash is replaced', `UPDATE journal_entry SET hash = repeat('0', 64) WHERE seq = 3`],
];

/** A journal that its database's owner rewrites: verification has to notice. */
export const section: Section = {
  name: 'journal',
  databases: ['postgresql'],
  async *attempts(server) {
    for (const name of ['ledger-bot', 'harbour-bot', 'meadow-bot', 'orchard-bot']) await server.agent(name);
    const client = new pg.Client({ connectionString: server.databaseUrl });
    await client.connect();
    try {
      // As the owner of the database can: no trigger is in the way.
      await client.query(`SET session_replication_role = replica`);
      await client.query(
        'CREATE TABLE kept_entry AS TABLE journal_entry; CREATE TABLE kept_head AS TABLE journal_head',
      );
      yield await verify(server, 'an untouched journal is called broken', true);
      for (const [name, sql] of MANIPULATIONS) {
        await client.query(sql);
        yield await verify(server, name, false);
        await client.query(
          `TRUNCATE journal_entry; INSERT INTO journal_entry SELECT * FROM kept_entry;
           UPDATE journal_head SET (seq, hash) = (SELECT seq, hash FROM kept_head)`,
        );
      }
      yield* throughTheInterface(server);
    } finally {
      await client.end();
    }
  },
};

async function* throughTheInterface(server: AttackedServer): AsyncIterable<Attempt> {
  for (const method of ['PUT', 'PATCH', 'DELETE', 'POST'])
    for (const path of ['/v1/journal', '/v1/journal/3', '/v1/journal/checkpoint']) {
      const { status } = await server.call(method, path, { token: server.adminToken, body: {} });
      yield attempt(`${method} ${path}`, status >= 400, String(status));
    }
}

async function verify(server: AttackedServer, name: string, isIntact: boolean): Promise<Attempt> {
  const { body } = await server.call('GET', '/v1/journal/verification', { token: server.adminToken });
  const { intact, firstBroken } = Verification.parse(body);
  return attempt(name, intact === isIntact, firstBroken?.reason ?? 'intact');
}
