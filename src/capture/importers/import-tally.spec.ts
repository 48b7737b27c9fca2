import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HOLE, ImportTally, readLine } from './import-tally.js';

const RECORD = { type: 'call', input: { command: 'echo "}{"', nested: [{ a: 1 }] } };
const TEXT = JSON.stringify(RECORD);
const read = (line: string) => {
  const tally = new ImportTally();
  return { values: readLine(line, tally), bad: tally.badLines, omitted: tally.read().omitted };
};

describe('a damaged line', () => {
  it('gives the records that share it, and no hole between them', () => {
    expect(read(`${TEXT}${TEXT} ${TEXT}`)).toEqual({ values: [RECORD, RECORD, RECORD], bad: 0, omitted: [] });
  });

  it.each([
    ['a cut record before another one', `${TEXT.slice(0, 30)}${TEXT}`, [HOLE, RECORD]],
    ['a record cut in a text, between two others', `${TEXT}${TEXT.slice(0, 42)}${TEXT}`, [RECORD, HOLE, RECORD]],
    ['a cut record', TEXT.slice(0, -3), [HOLE]],
    ['the end of a record before another one', `${TEXT.slice(20)}${TEXT}`, [HOLE, RECORD]],
    ['a block of NUL before a record', `\0\0\0${TEXT}`, [HOLE, RECORD]],
    ['a block of NUL in a record', `${TEXT.slice(0, 20)}\0\0${TEXT}${TEXT}`, [HOLE, RECORD, RECORD]],
  ])('gives %s with the hole', (_what, line, values) => {
    const holes = values.filter((value) => value === HOLE).length;
    const omitted = [{ reason: 'place where records were lost', count: holes }];
    expect(read(line)).toEqual({ values, bad: 1, omitted });
  });

  it('gives no part of a cut record', () => {
    expect(read('{"type":"call","input":{"a":1},"more":[{"type":"call"}').values).toEqual([HOLE]);
  });

  it('that is a message between records is no hole', () => {
    expect(read('warning: the cache is cold')).toEqual({ values: [], bad: 1, omitted: [] });
  });

  it('is read in time that grows with its length', () => {
    for (const line of [
      '{"a":'.repeat(200_000),
      `${'{"'.repeat(500_000)}}`,
      `${'x{"a":1}'.repeat(100_000)}{`,
      '{"a" {"b":1}'.repeat(100_000),
    ])
      expect(read(line).bad).toBe(1);
  });

  it('gives every record that was written whole, wherever another one was cut', () => {
    fc.assert(
      fc.property(fc.nat(TEXT.length - 1), fc.nat(3), (cut, before) => {
        const { values } = read(`${TEXT.repeat(before)}${TEXT.slice(0, cut)}${TEXT}`);
        // where a field had just begun, the record behind it looks like its value
        const isValue = /[:,[]$/.test(TEXT.slice(0, cut));
        const whole = values.filter((value) => value !== HOLE);
        expect(whole).toEqual(Array.from({ length: before + (isValue ? 0 : 1) }, () => RECORD));
      }),
    );
  });
});
