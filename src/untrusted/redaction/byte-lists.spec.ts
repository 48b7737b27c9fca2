import { describe, expect, it } from '@jest/globals';
import { byteLists } from './byte-lists.js';

const units = [...'password=abc'].map((letter) => letter.charCodeAt(0));
const hex = units.map((unit) => unit.toString(16));
const texts = (source: string): string[] => [...byteLists(source)].map(({ text }) => text);

describe('byteLists', () => {
  it.each([
    ['hexadecimal', hex.join(' ')],
    ['hexadecimal with marks', hex.map((item) => `0x${item}`).join(', ')],
    ['hexadecimal over two lines', `${hex.slice(0, 6).join(' ')}\n  ${hex.slice(6).join(' ')}`],
    ['decimal', `[${units.join(', ')}]`],
    ['octal', units.map((unit) => unit.toString(8).padStart(3, '0')).join(' ')],
    ['binary', units.map((unit) => unit.toString(2).padStart(8, '0')).join(' ')],
    ['calls', units.map((unit) => `chr(${unit})`).join(' + ')],
  ])('reads %s numbers', (_, source) => expect(texts(`before ${source} after`)).toContain('password=abc'));

  it('covers the whole list, and the readable column of a dump', () => {
    const source = `x [${units.join(', ')}] y`;
    const [list] = byteLists(source);
    expect(source.slice(list?.start, list?.end)).toBe(units.join(', '));
    const dump = `00000000: ${hex.slice(0, 8).join(' ')}  password\n00000008: ${hex.slice(8).join(' ')}  =abc\nend`;
    const [dumped] = byteLists(dump);
    expect(dumped?.text).toBe('password=abc');
    expect(dump.slice(dumped?.end)).toBe('\nend');
  });

  it('reads a list after another number', () => expect(texts(`Note 4: ${hex.join(' ')}`)).toContain('password=abc'));

  it('reads nothing from short lists, other bytes and prose', () => {
    for (const source of [
      '10 20 30 40',
      '7f 45 4c 46 02 01 01 00 00 00',
      'a dad fed a bee on the 12 of 2024-05-13 10:22',
    ])
      expect(texts(source)).toEqual([]);
  });
});
