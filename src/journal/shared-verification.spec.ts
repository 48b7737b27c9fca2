import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openTestDatabase } from '../../test/support/database.js';
import { SystemClock } from '../platform/base/clock.js';
import { RandomIds } from '../platform/base/ids.js';
import { loadConfig } from '../platform/config/config.js';
import { jobActor } from './actor.js';
import { JournalRepository } from './journal.repository.js';
import { Journal } from './journal.service.js';
import { JournalAudit } from './journal-audit.service.js';
import { JournalKey } from './journal-key.service.js';

it('callers that arrive during a verification share the next one', async () => {
  let verifications = 0;
  class Counted extends JournalRepository {
    override head(...of: Parameters<JournalRepository['head']>) {
      verifications += 1;
      return super.head(...of);
    }
  }
  const { database, drop } = await openTestDatabase();
  try {
    const [clock, ids] = [new SystemClock(), new RandomIds()];
    const settings = { GUILDBOOK_JOURNAL_KEY_FILE: join(tmpdir(), `guildbook-shared-verification-${ids.uuid()}.pem`) };
    const journal = new Journal(database, new JournalRepository(), clock);
    const record = { action: 'test.noted', subject: { type: 'test', id: 'a subject' } };
    await database.transaction((tx) => journal.append(tx, jobActor('test'), record));
    const audit = new JournalAudit(database, new Counted(), new JournalKey(loadConfig(settings), ids), clock);
    const notified: number[] = [];
    const all = [1, 2, 3, 4].map((who) => audit.verify(() => notified.push(who)));
    for (const found of await Promise.all(all)) expect(found).toMatchObject({ intact: true, entries: 1 });
    expect({ verifications, notified }).toEqual({ verifications: 2, notified: [1, 2, 3, 4] });
  } finally {
    await database.close();
    await drop();
  }
});
