import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig, SETTINGS } from './config.js';
import { hasSecretFile } from './secret-files.js';
import type { Setting } from './setting.js';

const VALUES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgresql://guildbook:made-up@db.invalid/guildbook',
  GUILDBOOK_METRICS_TOKEN: 'made-up-token-for-the-metrics-route',
  GUILDBOOK_ADMIN_TOKEN: 'gbo_Zu4mQ9xWv2Lr7Tn5Kc8Yp3Hd6Bf1Gs0J',
};
const SECRETS = Object.entries<Setting>(SETTINGS).filter(([, setting]) => hasSecretFile(setting));

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildbook-secrets-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(text: string): Promise<string> {
  const path = join(folder, 'secret');
  await writeFile(path, text);
  return path;
}
function problemOf(environment: Readonly<Record<string, string>>): string {
  try {
    loadConfig(environment);
  } catch (error) {
    return String(error);
  }
  return '';
}

describe.each(SECRETS)('the secret setting %s', (name, { env }) => {
  const value = VALUES[env] ?? 'made-up-value';

  it.each(['', '\n', '\r\n'])(
    'is read from the file that <NAME>_FILE names, without its last line end (%j)',
    async (end) => {
      expect(loadConfig({ [`${env}_FILE`]: await file(`${value}${end}`) })).toMatchObject({ [name]: value });
    },
  );

  it('is refused if it is given twice', async () => {
    const problem = problemOf({ [env]: value, [`${env}_FILE`]: await file(value) });
    expect(problem).toContain(`${env}_FILE: set this or ${env}, not both`);
    expect(problem).not.toContain(value);
  });

  it('is refused if the file is missing, a folder, empty or too long, without its path or content', async () => {
    expect(problemOf({ [`${env}_FILE`]: join(folder, 'missing') })).toContain('the file cannot be read (ENOENT)');
    const wrong = [join(folder, 'missing'), folder, await file(' \n')];
    for (const path of wrong) {
      const problem = problemOf({ [`${env}_FILE`]: path });
      expect(problem).toContain(`\n  ${env}_FILE: the file `);
      expect(problem).not.toContain(folder);
    }
    expect(problemOf({ [`${env}_FILE`]: await file('x'.repeat(100_000)) })).toContain('too long');
  });
});

describe('a setting that is not secret', () => {
  it('has no file', () => {
    expect(problemOf({ GUILDBOOK_PORT_FILE: '/run/secrets/port' })).toContain('GUILDBOOK_PORT_FILE: unknown setting');
  });
});

describe('the key of the journal', () => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const inBase64 = Buffer.from(pem).toString('base64');
  const withoutHead = pem.split('\n')[1] ?? '';

  it.each([pem, pem.trim(), pem.replaceAll('\n', '\r\n'), inBase64, `${inBase64}\n`])(
    'may be a PEM, or that in base64 on one line',
    (value) => {
      const key = createPrivateKey(loadConfig({ GUILDBOOK_JOURNAL_KEY: value }).journalKey ?? '');
      expect(key.export({ format: 'pem', type: 'pkcs8' })).toBe(pem);
    },
  );

  it.each([
    ['text', 'not a key'],
    [
      'a key of another kind',
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    ],
    ['a public key', createPublicKey(pem).export({ format: 'pem', type: 'spki' }).toString()],
    ['half a key', inBase64.slice(0, 60)],
    ['the key without its first and last line', withoutHead],
    ['a very long text', 'x'.repeat(100_000)],
  ])('is refused without its value if it is %s', (_what, value) => {
    const problem = problemOf({ GUILDBOOK_JOURNAL_KEY: value });
    expect(problem).toContain('\n  GUILDBOOK_JOURNAL_KEY: must be an Ed25519 private key as PEM');
    expect(problem).not.toContain(value);
    expect(problem).not.toContain(withoutHead);
  });

  it('is refused beside a file, which is not one of a secret but may be missing until the first start', () => {
    const missing = join(folder, 'journal-key.pem');
    const problem = problemOf({ GUILDBOOK_JOURNAL_KEY: pem, GUILDBOOK_JOURNAL_KEY_FILE: missing });
    expect(problem).toContain('GUILDBOOK_JOURNAL_KEY_FILE: set this or GUILDBOOK_JOURNAL_KEY, not both');
    expect(problem).not.toContain(withoutHead);
    expect(loadConfig({ GUILDBOOK_JOURNAL_KEY_FILE: missing }).journalKeyFile).toBe(missing);
  });
});

describe("the administrator's token", () => {
  it.each([
    'secret',
    'gbo_short',
    `gbo_${'a'.repeat(40)}`,
    `gbo_${'abababab'.repeat(5)}`,
    'gbo_abcdefghijklmnopqrstuvwxyz0123456789',
    `gbt_${'Zu4mQ9xWv2Lr7Tn5Kc8Yp3Hd6Bf1Gs0J'}`,
  ])('is refused if it is weak: %s', (token) => {
    const problem = problemOf({ GUILDBOOK_ADMIN_TOKEN: token });
    expect(problem).toContain('GUILDBOOK_ADMIN_TOKEN: must be gbo_ and 32 to 96 random');
    expect(problem).not.toContain(token);
  });

  it('may be the output of `openssl rand -hex`', () => {
    const token = 'gbo_9f3c51e07ab2d84c6e1f0a7d2b95c8e3';
    expect(loadConfig({ GUILDBOOK_ADMIN_TOKEN: token }).adminToken).toBe(token);
  });
});
