import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RandomIds } from '../platform/base/ids.js';
import { loadConfig } from '../platform/config/config.js';
import { JournalKey } from './journal-key.service.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildbook-key-'));
});
afterAll(() => rm(folder, { recursive: true }));

const keyIn = async (settings: Record<string, string>) => {
  const key = new JournalKey(loadConfig(settings), new RandomIds());
  await key.onModuleInit();
  return key;
};

describe('the key of the journal', () => {
  it('is the same for all servers that start at once, and readable by its user only', async () => {
    const file = join(folder, 'made', 'key.pem');
    const keys = await Promise.all(Array.from({ length: 5 }, () => keyIn({ GUILDBOOK_JOURNAL_KEY_FILE: file })));
    expect(new Set(keys.map((key) => key.ownVerifierKey())).size).toBe(1);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'made'))).toEqual(['key.pem']);
  });

  it('is stored beside the embedded database by default and signs under the name of the journal', async () => {
    const key = await keyIn({
      GUILDBOOK_DATA_DIR: join(folder, 'database'),
      GUILDBOOK_JOURNAL_NAME: 'a.example/journal',
    });
    expect(await readdir(folder)).toContain('journal-key.pem');
    expect(key.ownVerifierKey()).toMatch(/^a\.example\/journal\+[0-9a-f]{8}\+/);
  });

  it('may be given as a setting, and then no file is written', async () => {
    const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const database = join(folder, 'given', 'database');
    const keys = [pem, Buffer.from(pem).toString('base64')].map((value) =>
      keyIn({ GUILDBOOK_DATA_DIR: database, GUILDBOOK_JOURNAL_KEY: value }),
    );
    const [first, second] = (await Promise.all(keys)).map((key) => key.ownVerifierKey());
    expect(first).toBe(second);
    expect(await readdir(folder)).not.toContain('given');
  });

  it.each([
    ['is empty', ''],
    ['holds no key', 'no key'],
    [
      'holds a key of another kind',
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }),
    ],
  ])('is rejected if its file %s', async (what, text) => {
    const file = join(folder, `${what}.pem`);
    await writeFile(file, text);
    await expect(keyIn({ GUILDBOOK_JOURNAL_KEY_FILE: file })).rejects.toThrow(
      'does not contain an Ed25519 private key',
    );
  });
});
