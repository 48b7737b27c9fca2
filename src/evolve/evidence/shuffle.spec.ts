import { describe, expect, it } from '@jest/globals';
import { failed, recordedRun, unknown, worked } from '../../../test/support/recorded-calls.js';
import { shuffledOutcomes } from '../../../test/support/shuffled-outcomes.js';
import { seededRandom } from '../statistics/seeded-random.js';

const runs = Array.from({ length: 40 }, (_, n) =>
  recordedRun(
    `e${n}`,
    [failed('a', `error ${n}`), worked('b'), worked('c'), unknown('d'), failed('e', `another ${n}`)],
    { agentId: `agent ${n % 4}`, ...(n % 5 === 0 ? {} : { succeeded: n % 3 === 0 }) },
  ),
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

  it('of whole executions stay with their agent', () => {
    const successes = (all: typeof runs, agent: number) =>
      all.filter(({ agentId, succeeded }) => agentId === `agent ${agent}` && succeeded).length;
    for (const agent of [0, 1, 2, 3]) expect(successes(shuffled, agent)).toBe(successes(runs, agent));
    expect(shuffled.map(({ succeeded }) => succeeded)).not.toEqual(runs.map(({ succeeded }) => succeeded));
    expect(shuffled.map(({ succeeded }) => succeeded === undefined)).toEqual(runs.map((_, n) => n % 5 === 0));
  });

  it('do not depend on the order of the executions', () => {
    const turned = shuffledOutcomes([...runs].reverse(), seededRandom(1)).reverse();
    expect(turned).toEqual(shuffled);
  });
});
