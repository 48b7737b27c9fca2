import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { IDENTIFIER_FORMATS } from '../../../test/support/identifier-formats.js';
import { hasCredential, redactName } from './credential-in-name.js';

// Assembled here, so that no file contains a whole secret.
const RANDOM = 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTbVk0Q';
const CREDENTIALS = [
  ['gh', 'p_', RANDOM.slice(0, 36)],
  ['github_', 'pat_', RANDOM],
  ['sk-', 'ant-api03-', RANDOM],
  ['sk-', 'proj-', RANDOM],
  ['AK', 'IA', 'Q7ZT2LMX3ABV4KC2'],
  ['gb', 't_', RANDOM],
  ['glpat', '-', RANDOM.slice(0, 20)],
  ['np', 'm_', RANDOM.slice(0, 36)],
  ['sk_', 'live_', RANDOM.slice(0, 24)],
  ['build bot gh', 'p_', RANDOM.slice(0, 36)],
  ['build-bot-gh', 'p_', RANDOM.slice(0, 36)],
  ['bot-gl', 'pat-', RANDOM.slice(0, 20)],
  ['ci.np', 'm_', RANDOM.slice(0, 36)],
  [RANDOM],
  ['to', 'ken ', RANDOM.slice(0, 24)],
].map((parts) => parts.join(''));

const ORDINARY = [
  ...['Ada', 'Ada Lovelace', 'Łukasz Żółć', '数据 平台', 'build-bot-7f3a', 'claude-code@host', 'ci/runner-12'],
  ...['claude-code@ip-10-0-3-17.ec2.internal', 'checkout-service-6d4cf56db6-x7k2p', 'auth-api-6d4cf56db6-x7k2p'],
  ...['key-rotator', 'token-service', 'secret-santa-bot', 'api-key-manager', 'payments.eu-west-1@prod', 'sk-bot'],
  ...['i-0abcd1234efgh5678', 'gpt-5.2-codex@2026-03-31', 'my-project-0a1b2c3d', 'heroku-worker', 'Platform / SRE'],
];

describe('a name', () => {
  it.each(CREDENTIALS)('that holds a credential is found: %#', (name) => {
    expect(hasCredential(name)).toBe(true);
    expect(redactName(name)).not.toContain(RANDOM.slice(4, 20));
  });

  it.each(ORDINARY)('that is ordinary stays as it is: %s', (name) => {
    expect(hasCredential(name)).toBe(false);
    expect(redactName(name)).toBe(name);
  });

  it('may hold an id of any format', () => {
    for (const [format, make] of Object.entries(IDENTIFIER_FORMATS).filter(([name]) => name !== 'base64url'))
      for (let n = 0; n < 200; n += 1)
        for (const name of [make(n), `agent-${make(n)}`])
          if (!/^OpenAI|^Anthropic/.test(format))
            expect([format, name, hasCredential(name)]).toEqual([format, name, false]);
    for (let n = 0; n < 200; n += 1)
      for (const name of [`worker-${randomUUID()}`, `bot-${randomBytes(4).toString('hex')}`])
        expect([name, hasCredential(name)]).toEqual([name, false]);
  });
});
