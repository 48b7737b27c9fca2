import { describe, expect, it } from '@jest/globals';
import { isExpression, isIdentifier, isPattern, isTemplate, isWords } from './placeholder-values.js';
import { redact } from './redact.js';

const RANDOM = 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG';

describe('values after a secret-like name in code', () => {
  it.each(['piece.replace(/[/.=&@]$/,', 'match.indices?.slice(1)', '&GitHub_Basic{', '}))', 'api_keys_1.APIKeys'])(
    '%s is an expression',
    (text) => expect(isExpression(text)).toBe(true),
  );

  it.each([RANDOM, 'hunter2hunter', 'Tr0ub4dor&3', 'MTk4NjIy.Cl2FMQ.ZnCjm1XVW7vRze4b', 'correct-horse-9'])(
    '%s is none',
    (text) => expect(isExpression(text)).toBe(false),
  );

  it.each(['/key|token/i', '\\S+', '[A-Za-z0-9]{20,}'])('%s is a pattern', (text) => {
    expect(isPattern(text)).toBe(true);
    expect(isPattern(RANDOM)).toBe(false);
  });

  it('a template has only words as fixed parts', () => {
    expect(isTemplate(`Bearer \${token}`)).toBe(true);
    expect(isTemplate('{type} of {name}')).toBe(true);
    expect(isTemplate(`hunter2\${suffix}`)).toBe(false);
    expect(isTemplate(RANDOM)).toBe(false);
  });

  it('words and identifiers have few digits and letter pairs as in a language', () => {
    expect(isWords('The secret of its signatures (Standard Webhooks):')).toBe(true);
    expect(isWords('qzxv kjwq pfgh')).toBe(false);
    expect(isIdentifier('session-17')).toBe(true);
    expect(isIdentifier('/v1/oauth/token')).toBe(true);
    expect(isIdentifier('mlm9iqkm')).toBe(false);
    expect(isIdentifier('SSVmFDNCFfOHKXQAEckx')).toBe(false);
  });
});

describe('redaction of source', () => {
  it.each([
    `'settings.secret-set': 'set, and not shown',`,
    `'settings.first-token-for': 'Make a token for {name}',`,
    `const SECRET_CONTEXT = /key|token|secret|auth|bearer|webhook/i;`,
    `export const VISIT_COOKIE = '__Host-site-visit';`,
    `expect((await signIn(app, { token })).status).toBe(200);`,
    `const token = piece.replace(/[/.=&@!*$^]$/, '');`,
    `settings.push(\`Authorization: Basic \${credentials}\`);`,
    `{ Credential: &pb.GitHub_Unauthenticated{} }`,
    `sessionId: 'session-17',`,
    `importKey('raw', encode(password), 'PBKDF2', false)`,
    `def extract(self, member, pwd=None):`,
    `@see [OAuth 2.0 Token Revocation](https://www.example.test/rfc7009#section-2)`,
  ])('keeps %s unchanged', (line) => expect(redact(line).text).toBe(line));

  it.each([
    [`'db.secret': 'Sup3r-s3cret!'`, 'Sup3r-s3cret!'],
    [`password: 'correct horse battery staple'`, 'correct horse battery staple'],
    [`token = 'mlm9iqkm'`, 'mlm9iqkm'],
    [`secret = ${RANDOM}.replace('a')`, RANDOM],
    [`token: \`gh\${x}${RANDOM}\``, RANDOM],
  ])('still removes the secret from %s', (line, secret) => expect(redact(line).text).not.toContain(secret));
});
