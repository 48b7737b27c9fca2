import { describe, expect, it } from '@jest/globals';
import { clip } from '../text/clip.js';
import { redact } from './redact.js';

/** Composed here, so that no file contains a whole token. */
const RANDOM = 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTbVk0QoCiMzWgSyHdAnPrUjFlOeI';
const TOKENS: readonly (readonly [string, string])[] = [
  ['an AWS key id', `AK${'IA'}Q7ZT2LMX4BVKC5RF`],
  ['a GitHub token', `gh${'p_'}${RANDOM.slice(0, 36)}`],
  ['an Anthropic key', `sk-${'ant-'}api03-${RANDOM.slice(0, 40)}`],
  ['a Slack token', `xo${'xb-'}123456789012-${RANDOM.slice(0, 24)}`],
  ['a Stripe key', `sk${'_live_'}${RANDOM.slice(0, 24)}`],
  ['a Google key', `AI${'za'}${RANDOM.slice(0, 35)}`],
  ['a GitLab token', `gl${'pat-'}${RANDOM.slice(0, 20)}`],
  ['a password in a URL', `postgres://app:${RANDOM.slice(0, 18)}@db.internal:5432/books`],
  ['an assignment', `DB_PASSWORD=${RANDOM.slice(0, 18)}`],
];

const each = (text: string, code: (unit: number) => string): string =>
  [...text].map((character) => code(character.charCodeAt(0))).join('');
const hex = (unit: number, length: number): string => unit.toString(16).padStart(length, '0');
const halves = (text: string): [string, string] => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];

const ENCODINGS: readonly (readonly [string, (text: string) => string])[] = [
  ['percent-encoded', (text) => each(text, (unit) => `%${hex(unit, 2)}`)],
  ['percent-encoded as a URL requires', encodeURIComponent],
  ['percent-encoded twice', (text) => encodeURIComponent(each(text, (unit) => `%${hex(unit, 2).toUpperCase()}`))],
  ['as JSON in JSON', (text) => JSON.stringify(JSON.stringify({ out: `line\n${text}\n` }))],
  ['in escapes of JSON', (text) => each(text, (unit) => `\\u${hex(unit, 4)}`)],
  ['in escapes of C', (text) => each(text, (unit) => `\\x${hex(unit, 2)}`)],
  ['in entities of HTML', (text) => each(text, (unit) => `&#${unit};`)],
  ['in hexadecimal entities', (text) => each(text, (unit) => `&#x${hex(unit, 2)};`)],
  ['escaped for a shell', (text) => text.replace(/[^A-Za-z0-9]/g, '\\$&')],
  ['in base64', (text) => Buffer.from(text).toString('base64')],
  ['in base64 for URLs', (text) => Buffer.from(text).toString('base64url')],
  ['in base64 within a sentence of base64', (text) => Buffer.from(`the key is ${text}, keep it`).toString('base64')],
  [
    'in base64 twice',
    (text) => Buffer.from(Buffer.from(`Authorization: ${text}`).toString('base64')).toString('base64'),
  ],
  ['in hexadecimal', (text) => Buffer.from(text).toString('hex')],
  ['in wrapped base64', (text) => wrapped(Buffer.from(`${'padding '.repeat(9)}${text}`).toString('base64'), 64)],
  ['continued on the next line', (text) => halves(text).join('\\\n  ')],
  ['wrapped as in a mail', (text) => halves(text).join('=\n')],
  ['concatenated from two strings', (text) => `"${halves(text).join('" + "')}"`],
  ['concatenated from two strings on two lines', (text) => `'${halves(text).join("' +\n    '")}'`],
  ['with escaped colours', (text) => halves(text).join('\\u001b[1m')],
  ['with escaped zero-width characters', (text) => halves(text).join('\\u200b')],
];

const wrapped = (text: string, width: number): string => text.match(new RegExp(`.{1,${width}}`, 'g'))?.join('\n') ?? '';

describe('redaction of encoded text', () => {
  it.each(
    ENCODINGS.flatMap(([how, encode]) => TOKENS.map(([what, token]) => [`${what} ${how}`, token, encode(token)])),
  )('%s is removed', (_, token, encoded) => {
    const { text, redactions } = redact(`the call failed: ${encoded} was refused`);
    expect(redactions.length).toBeGreaterThan(0);
    expect(text).not.toContain(encoded);
    expect(text).not.toContain(token);
    expect(text).toMatch(/^the call failed: .*\[REDACTED:[a-z0-9-]+\].* was refused$/s);
  });

  it.each(TOKENS.slice(0, 7))('%s split by a line break is removed', (_, token) => {
    const [first, second] = halves(token);
    const { text } = redact(`the call failed for\n  ${first}\n  ${second} and stopped`);
    expect(text).toMatch(/^the call failed for\n {2}\[REDACTED:[^ ]+\](?:\n {2}\[REDACTED:[^ ]+\])? and stopped$/);
  });

  it.each(
    TOKENS.slice(0, 7).flatMap(([what, token]) =>
      [/./g, /.{1,2}/g, /.{1,5}/g, /.{1,8}/g].map((parts) => [what, (token.match(parts) ?? []).join(' ')]),
    ),
  )('%s in parts with blanks between them is removed: %#', (_, written) => {
    const reversed = [...written].reverse().join('');
    for (const text of [written, reversed])
      for (const gap of [' ', '     '])
        expect(redact(`the call failed:${gap}${text}${gap}was refused`).text).toMatch(
          /^the call failed: {1,5}(?!.*\d).*\[REDACTED:/,
        );
  });

  it.each(TOKENS)('%s backwards is removed', (_, token) => {
    const written = [...token].reverse().join('');
    const { text } = redact(`the call failed: ${written} was refused`);
    expect(text).toMatch(/^the call failed: .*\[REDACTED:[a-z0-9-]+\].* was refused$/);
    expect(text).not.toContain([...RANDOM.slice(0, 16)].reverse().join(''));
  });

  it('numbers, moves, listings and expressions in short parts stay', () => {
    for (const text of [
      '1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6',
      'a b c d 1 2     e f g h 3 4',
      '-rw-r--r-- 1 ci ci 4096 Nov 29 20:53 a.ts',
      '00000000: 7f 45 4c 46 02 01 01 00 00 00 00 00 00 00 00 00',
      'x1 = a2 + b3 * c4 - d5 / e6; y7 = f8 + g9',
      'GET /a 200 12 ms, GET /b 404 3 ms, GET /c 200 9 ms',
    ])
      expect(redact(text)).toEqual({ text, redactions: [] });
  });

  it('harmless encodings and apparent escapes stay', () => {
    for (const text of [
      `data: ${Buffer.from('a harmless sentence about nothing at all').toString('base64')}`,
      'GET /search?q=caf%C3%A9%20au%20lait HTTP/1.1',
      String.raw`C:\new\table\users, re.compile(r"\d+\s*=\s*\w+")`,
      'step 1\nstep2 of 12\nv1.2.3\nline 44 in main.py\n',
    ]) {
      expect(redact(text)).toEqual({ text, redactions: [] });
    }
  });
});

describe('redaction before clipping', () => {
  it.each(TOKENS)('no beginning of %s remains if the text is cut inside it', (_, token) => {
    for (let at = 5; at < token.length + 40; at += 3) {
      const text = clip(redact(`${'x '.repeat(10)}${token}`).text, at);
      expect(text).not.toContain(RANDOM.slice(0, 8));
      if (!token.includes('=') && !token.includes('://')) expect(text).not.toContain(token.slice(0, 6));
    }
  });
});
