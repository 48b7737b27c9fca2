import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { halvesOf } from './halves.js';

const run = (id: string, origin = id, day = 1) => ({
  id,
  origin,
  finishedAt: `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`,
});

describe('halves of executions', () => {
  it('by origin: an origin stays in its half, whatever else there is, in about even halves', () => {
    const all = Array.from({ length: 1_000 }, (_, n) => run(`e${n}`, `origin ${n % 500}`));
    const { a, b } = halvesOf(all, { by: 'origin' });
    expect(a.length + b.length).toBe(1_000);
    expect(Math.abs(a.length - b.length)).toBeLessThan(150);
    const few = halvesOf(all.slice(900), { by: 'origin' });
    expect(few.a).toEqual(a.filter((one) => all.indexOf(one) >= 900));
  });

  it('by time: the earlier half learns, and an origin belongs where its first execution does', () => {
    const all = [run('e4', 'w', 9), run('e1', 'x', 1), run('e2', 'y', 2), run('e3', 'x', 8)];
    expect(halvesOf(all, { by: 'time' })).toEqual({ a: [all[1], all[3]], b: [all[0], all[2]] });
  });

  it('by time: leaves nothing to check on if there is one origin', () => {
    expect(halvesOf([run('e1', 'x'), run('e2', 'x')], { by: 'time' }).b).toEqual([]);
  });

  it('never share an origin, and do not depend on the order of the executions', () => {
    const runs = fc.uniqueArray(fc.tuple(fc.nat(99), fc.nat(8), fc.integer({ min: 1, max: 20 })), {
      selector: ([id]) => id,
    });
    fc.assert(
      fc.property(runs, fc.constantFrom('origin' as const, 'time' as const), (rows, by) => {
        const all = rows.map(([id, origin, day]) => run(`e${id}`, `o${origin}`, day));
        const { a, b } = halvesOf(all, { by });
        const origins = new Set(a.map(({ origin }) => origin));
        expect(b.some(({ origin }) => origins.has(origin))).toBe(false);
        const turned = halvesOf([...all].reverse(), { by });
        expect(new Set(turned.a)).toEqual(new Set(a));
      }),
    );
  });
});
