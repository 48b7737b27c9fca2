import { JournalRepository } from '../../src/journal/journal.repository.js';
import { JournalAudit } from '../../src/journal/journal-audit.service.js';
import { JournalKey } from '../../src/journal/journal-key.service.js';
import { SystemClock } from '../../src/platform/base/clock.js';
import { RandomIds } from '../../src/platform/base/ids.js';
import { loadConfig } from '../../src/platform/config/config.js';
import type { Database } from '../../src/platform/database/database.js';

/** Where the journal of a database breaks, by the key in this file; empty if it is intact. */
export async function journalFaults(database: Database, keyFile: string): Promise<string[]> {
  const key = new JournalKey(loadConfig({ GUILDBOOK_JOURNAL_KEY_FILE: keyFile }), new RandomIds());
  await key.onModuleInit();
  const audit = new JournalAudit(database, new JournalRepository(), key, new SystemClock());
  const { intact, firstBroken } = await audit.verify();
  return intact ? [] : [`the journal is broken: ${JSON.stringify(firstBroken)}`];
}
