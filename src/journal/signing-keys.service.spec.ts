import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { SystemClock } from '../platform/base/clock.js';
import { RandomIds } from '../platform/base/ids.js';
import { loadConfig } from '../platform/config/config.js';
import { Readiness } from '../platform/http/readiness.service.js';
import { jobActor } from './actor.js';
import { JournalRepository } from './journal.repository.js';
import { Journal } from './journal.service.js';
import { JournalAudit } from './journal-audit.service.js';
import { JournalKey } from './journal-key.service.js';
import { SigningKeys } from './signing-keys.service.js';

let opened: TestDatabase;
/** The key that signed the first entries. */
let oldest: JournalKey;
const entries = new JournalRepository();

beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(async () => {
  await opened.database.close();
  await opened.drop();
});

const newPem = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

async function keyOf(pem: string, trusted: readonly string[] = []): Promise<JournalKey> {
  const settings = { GUILDBOOK_JOURNAL_KEY: pem, GUILDBOOK_JOURNAL_TRUSTED_KEYS: trusted.join(',') };
  const key = new JournalKey(loadConfig(settings), new RandomIds());
  await key.onModuleInit();
  return key;
}

async function problemsWith(key: JournalKey): Promise<string[]> {
  const readiness = new Readiness();
  await new SigningKeys(opened.database, entries, key, readiness).onApplicationBootstrap();
  return readiness.problems().map(({ code }) => code);
}

async function signWith(key: JournalKey, times: number): Promise<void> {
  const clock = new SystemClock();
  for (let n = 0; n < times; n += 1) {
    await opened.database.transaction((tx) =>
      new Journal(opened.database, entries, clock).append(tx, jobActor('test'), {
        action: 'test.noted',
        subject: { type: 'test', id: 'subject' },
      }),
    );
    await new JournalAudit(opened.database, entries, key, clock).sign();
  }
}

describe('the keys that signed a journal', () => {
  it('are in order while there is none, or only the own one', async () => {
    oldest = await keyOf(newPem());
    const key = oldest;
    expect(await problemsWith(key)).toEqual([]);
    await signWith(key, 3);
    expect(await problemsWith(key)).toEqual([]);
    expect(await entries.signers(opened.database.client)).toEqual([
      { signer: key.ownVerifierKey().split('+').slice(0, 2).join('+'), note: expect.any(String) },
    ]);
  });

  it('need a person if one is unknown, also after the other key has signed, until it is trusted', async () => {
    const [first, pem] = [await keyOf(newPem()), newPem()];
    await signWith(first, 2);
    const own = await keyOf(pem);
    expect(await problemsWith(own)).toEqual(['journal.unknown_key']);
    await signWith(own, 2);
    expect(await problemsWith(own)).toEqual(['journal.unknown_key']);
    const others = (await entries.signers(opened.database.client)).length;
    expect(others).toBe(3);
    const trusted = [first, oldest].map((key) => key.ownVerifierKey());
    expect(await problemsWith(await keyOf(pem, trusted.slice(0, 1)))).toEqual(['journal.unknown_key']);
    expect(await problemsWith(await keyOf(pem, trusted))).toEqual([]);
  });
});
