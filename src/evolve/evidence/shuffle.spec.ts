import { describe, expect, it } from '@jest/globals';
import { failed, recordedRun, unknown, worked } from '../../../test/support/recorded-calls.js';
import { shuffledOutcomes } from '../../../test/support/shuffled-outcomes.js';
import { seededRandom } from '../statistics/seeded-random.js';

const runs = Array.from({ length: 40 }, (_, n) =>
  recordedRun(`e${n}`, [
    failed('a', `error ${n}`),
    worked('b'),
    worked('c'),
    unknown('d'),
    failed('e', `another ${n}`),
  ]),
);
const shuffled = shuffledOutcomes(runs, seededRandom(1));

describe('shuffled outcomes', () => {
  it('leave every call what it is, and change what became of it', () => {
    const texts = (all: typeof runs) => all.map(({ calls }) => calls.map(({ text, index }) => [text, index]));
    expect(texts(shuffled)).toEqual(texts(runs));
    expect(shuffled.filter(({ calls }) => calls[0]?.ok).length).toBeGreaterThan(8);
  });

  it('stay in their execution, with error and failure; an unknown result stays where it is', () => {
    for (const [at, { calls }] of shuffled.entries()) {
      const errors = calls.map(({ error }) => error).filter(Boolean);
      expect(errors.sort()).toEqual([`another ${at}`, `error ${at}`]);
      expect(calls.every(({ ok, error, failure }) => (ok === false) === (error !== '' && failure !== undefined))).toBe(
        true,
      );
      expect(calls[3]?.ok).toBeUndefined();
    }
  });

  it('do not depend on the order of the executions', () => {
    const turned = shuffledOutcomes([...runs].reverse(), seededRandom(1)).reverse();
    expect(turned).toEqual(shuffled);
  });
});
