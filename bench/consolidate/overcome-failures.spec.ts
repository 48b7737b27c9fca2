import { describe, expect, it } from '@jest/globals';
import { observeStored } from '../fidelity/product-lessons.js';
import { readSet } from '../sets/set-reader.js';
import { orderedHalves } from './ordered-halves.js';
import { overcomeFailures } from './overcome-failures.js';

const BROKEN = { tool: 'Bash', args: 'python close.py', ok: false, error: 'SyntaxError: invalid syntax' };
const WORKED = { tool: 'Bash', args: 'python3 close.py', ok: true };
const row = (n: number, calls: readonly object[], more: object = {}): string =>
  JSON.stringify({ id: `s${n}`, agent_id: 'ada', task_id: `close ${n}`, tool_calls: calls, ...more });
const observed = (...rows: string[]) => readSet(rows.join('\n'), 'ledgers').executions.map(observeStored);
const failuresOf = (...calls: object[]) => observed(row(1, calls)).flatMap(overcomeFailures);

describe('the failures that a run overcame', () => {
  it('are queries of the action and the error line, with the keys of a lesson', () => {
    const [one, ...rest] = failuresOf(BROKEN, WORKED);
    expect(rest).toEqual([]);
    expect(one).toMatchObject({ agent: 'ada', query: 'python close.py SyntaxError: invalid syntax' });
    expect(one?.remedyKeys).toHaveLength(1);
  });

  it('leave out failures that nothing overcame, or only a repetition', () => {
    expect(failuresOf(BROKEN)).toEqual([]);
    expect(failuresOf(BROKEN, { ...BROKEN, ok: true })).toEqual([]);
  });

  it('have the same keys in another run', () => {
    const [one, other] = observed(row(1, [BROKEN, WORKED]), row(2, [BROKEN, WORKED])).flatMap(overcomeFailures);
    expect(other?.failureKey).toBe(one?.failureKey);
    expect(other?.remedyKeys).toEqual(one?.remedyKeys);
  });
});

describe('the halves of a set', () => {
  const many = Array.from({ length: 40 }, (_, n) => row(n, [BROKEN, WORKED]));
  const settings = { seed: 0, limit: 100 };

  it('keep each task in one half, in an order that only the seed decides', () => {
    const halves = (seed: number, rows = many) => {
      const { learned, replayed } = orderedHalves(observed(...rows), false, { ...settings, seed });
      return [learned.map((one) => one.row.id), replayed.map((one) => one.row.id)];
    };
    expect(halves(0).flat().sort()).toEqual(
      observed(...many)
        .map((one) => one.row.id)
        .sort(),
    );
    expect(halves(0, many.toReversed())).toEqual(halves(0));
    expect(halves(1)).not.toEqual(halves(0));
  });

  it('are by time where a set has it, and within the limit', () => {
    const rows = [3, 1, 2, 4].map((day) => row(day, [BROKEN, WORKED], { started_at: `2026-01-0${day}T10:00:00Z` }));
    const { learned, replayed, by } = orderedHalves(observed(...rows), true, { seed: 0, limit: 3 });
    expect([by, learned.map((one) => one.row.id), replayed.map((one) => one.row.id)]).toEqual([
      'time',
      ['s1'],
      ['s2', 's3'],
    ]);
  });
});
