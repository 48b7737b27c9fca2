import { describe, expect, it } from '@jest/globals';
import { encodedRuns } from './encoded-runs.js';

const SENTENCE = 'the text behind it, number 42, long enough to be wrapped onto more than one line of an encoding';
const base64 = Buffer.from(SENTENCE).toString('base64');

describe('encodedRuns', () => {
  it('decodes base64 (also base64url and wrapped) and hexadecimal with their positions', () => {
    for (const run of [
      base64,
      Buffer.from(SENTENCE).toString('base64url'),
      `${base64.slice(0, 64)}\n  ${base64.slice(64, 128)}`,
      Buffer.from(SENTENCE).toString('hex'),
    ]) {
      expect([...encodedRuns(`see "${run}" there`)]).toEqual([{ start: 5, end: 5 + run.length, text: SENTENCE }]);
    }
  });

  it('skips words, names, numbers and bytes that are not text', () => {
    const text = `InternationalizationAndLocalization 9f3a71c04be85d26a1f7709c3e48b5d2 ${'a/b'.repeat(20)} q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3`;
    expect([...encodedRuns(text)]).toEqual([]);
  });
});
