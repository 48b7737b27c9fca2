import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KeySettings, placeSigningKey, readSigningKey, requireSameKeyOrNone } from './signing-key.service.js';

const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'guildbook-key-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const settings = (journalKey?: string): KeySettings => ({
  journalKey,
  journalKeyFile: undefined,
  dataDir: join(folder, 'database'),
  journalTrustedKeys: [],
});

describe('the signing key of a backup', () => {
  it('is put into a file of mode 600, and read from there', async () => {
    const pem = newKey();
    await placeSigningKey(settings(), pem);
    expect((await readSigningKey(settings())).pem).toBe(pem);
    expect(statSync(join(folder, 'journal-key.pem')).mode & 0o777).toBe(0o600);
  });

  it('is the one of the variable if that is set, and then no file is written', async () => {
    const pem = newKey();
    expect((await readSigningKey(settings(pem))).pem).toBe(pem);
    await requireSameKeyOrNone(settings(pem), pem.replaceAll('\n', '\r\n'));
    await placeSigningKey(settings(pem), pem);
    expect(existsSync(join(folder, 'journal-key.pem'))).toBe(false);
  });

  it('is refused beside another one, in a file or in the variable, which the message names', async () => {
    await expect(requireSameKeyOrNone(settings(newKey()), newKey())).rejects.toThrow(
      /^GUILDBOOK_JOURNAL_KEY is another/,
    );
    const own = newKey();
    await placeSigningKey(settings(), own);
    await expect(requireSameKeyOrNone(settings(), newKey())).rejects.toThrow(/journal-key\.pem is another/);
    expect(readFileSync(join(folder, 'journal-key.pem'), 'utf8')).toBe(own);
  });

  it('is missing in one sentence with the way out', async () => {
    await expect(readSigningKey(settings())).rejects.toThrow(/journal-key\.pem is missing\. Set GUILDBOOK_JOURNAL_KEY/);
  });
});
