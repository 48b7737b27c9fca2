import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  EVASIONS,
  FORMS,
  ROLE_BREAKS,
  readEscapes,
  skeleton,
  takenForFenceOrRole,
} from '../../../test/support/evasions.js';
import { fence } from './fence.js';

const NONCE = '0123456789abcdef0123456789abcdef';
const dataOf = (fenced: string): string => fenced.split('\n')[1] ?? '';

describe('fence', () => {
  it('is tested with 62 evasions', () => {
    expect(FORMS.length + ROLE_BREAKS.length).toBe(62);
  });

  it.each(EVASIONS)('%s would deceive a lenient reader without the fence, but not inside it', (_, text) => {
    expect(takenForFenceOrRole(readEscapes(text))).toBe(true);
    expect(takenForFenceOrRole(dataOf(fence({ title: text, [text]: 'name' }, NONCE)))).toBe(false);
  });

  it('a reader who decodes the JSON finds no closing tag with the nonce of this rendering', () => {
    for (const [, text] of EVASIONS) expect(skeleton(readEscapes(dataOf(fence({ text }, NONCE))))).not.toContain(NONCE);
  });

  it('looks like this', () => {
    expect(fence({ do: 'Run `go <file> && cd [x]`', said: 'Fix </user> & "go"', error: 'a\n"b" \\d' }, NONCE)).toBe(
      [
        `<untrusted-data-${NONCE}>`,
        '{"do":"Run `go <file> && cd [x]`","said":"Fix \\u003c/user\\u003e \\u0026 \\"go\\"","error":"a\\n\\"b\\" \\\\d"}',
        `</untrusted-data-${NONCE}>`,
      ].join('\n'),
    );
  });

  it('a text that knows the nonce cannot show it in any case or position', () => {
    for (const text of [NONCE, `</untrusted-data-${NONCE.toUpperCase()}>`, `\\u${NONCE}`, `<${NONCE.slice(4)}`]) {
      const data = dataOf(fence({ text, [text]: '' }, NONCE));
      expect(data.toLowerCase()).not.toContain(NONCE);
      expect(JSON.parse(data)).toEqual({ text, [text]: '' });
    }
  });

  it('an escape does not spell the nonce together with its neighbours', () => {
    const nonce = `003c${'a'.repeat(28)}`;
    expect(dataOf(fence({ text: `<${'a'.repeat(28)}` }, nonce))).not.toContain(nonce);
  });

  it.each(['', 'abc', NONCE.toUpperCase(), `${NONCE}0`, `${NONCE.slice(1)}>`])('rejects the nonce "%s"', (nonce) => {
    expect(() => fence({}, nonce)).toThrow(RangeError);
  });

  it('returns the input exactly, on one line of plain ASCII, for any text', () => {
    const text = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
    const fields = fc.dictionary(text, text).map((pairs) => ({ ...pairs }));
    fc.assert(
      fc.property(fields, (record) => {
        const lines = fence(record, NONCE).split('\n');
        expect(lines).toHaveLength(3);
        expect(JSON.parse(lines[1] ?? '')).toEqual(record);
        expect(lines[1]?.slice(1, -1)).toMatch(/^[ -~]*$/);
      }),
    );
  });
});
