import { describe, expect, it } from '@jest/globals';
import type { StoredExecution } from '../../src/capture/observations/observation.js';
import { recordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { observeStored } from '../fidelity/product-lessons.js';
import { readSet } from '../sets/set-reader.js';
import { minedNull, proposalsOf } from './mined-null.js';

const ERROR = 'bash: python: command not found';
const CALLS = [
  { tool: 'Bash', args: 'ls books', ok: true },
  { tool: 'Bash', args: 'python close.py', ok: false, error: ERROR },
  { tool: 'Bash', args: 'cat books/may | head', ok: true },
  { tool: 'Bash', args: 'python3 close.py', ok: true },
  { tool: 'Bash', args: 'ls out', ok: true },
];
const ROWS = Array.from({ length: 40 }, (_, at) =>
  JSON.stringify({
    id: `s${at}`,
    agent_id: `agent ${at % 4}`,
    task_id: `close ${at}`,
    success: at % 8 < 4,
    tool_calls: CALLS,
  }),
).join('\n');

const OBSERVED = readSet(ROWS, 'ledgers').executions.map((one) => observeStored(one));
const STORED = OBSERVED.map(({ execution }) => execution);
const RECORDED = OBSERVED.map(({ observed, report }) => recordedExecution({ observed, report }));

/** The executions of two cycles over shuffled outcomes. */
function shuffledCycles(seed: number): (readonly StoredExecution[])[] {
  const seen: (readonly StoredExecution[])[] = [];
  minedNull(STORED, RECORDED, {
    cycles: 2,
    seed,
    run: (executions) => {
      seen.push(executions);
      return { confirmed: 0, observed: 0 };
    },
  });
  return seen;
}

const callsOf = (executions: readonly StoredExecution[] = []) => executions.map(({ report }) => report.toolCalls);

describe('the null with candidates mined from shuffled outcomes', () => {
  it('moves outcomes with their errors among the calls of an execution, and keeps what was called', () => {
    const [first, second] = shuffledCycles(1).map(callsOf);
    for (const [at, calls] of (first ?? []).entries()) {
      expect(calls.map(({ action }) => action)).toEqual(STORED[at]?.report.toolCalls.map(({ action }) => action));
      expect(calls.filter(({ ok }) => !ok)).toHaveLength(1);
      for (const { ok, errorMessage } of calls) expect(errorMessage ?? '').toBe(ok ? '' : ERROR);
    }
    const failing = (first ?? []).map((calls) => calls.findIndex(({ ok }) => !ok));
    expect(new Set(failing).size).toBeGreaterThan(1);
    expect(first).not.toEqual(second);
    expect(callsOf(shuffledCycles(1)[0])).toEqual(first);
  });

  it('leaves a result that is that of another command where it is', () => {
    for (const calls of callsOf(shuffledCycles(1)[0])) expect(calls[2]?.ok).toBe(true);
  });

  it('takes the mean of what whole cycles propose', () => {
    const counts = [
      { confirmed: 1, observed: 4 },
      { confirmed: 0, observed: 1 },
    ];
    const run = () => counts.pop() ?? { confirmed: 0, observed: 0 };
    const found = minedNull(STORED, RECORDED, { cycles: 2, seed: 1, run });
    expect([found.confirmed.mean, found.observed.mean]).toEqual([0.5, 2.5]);
  });

  it('finds in real outcomes what it does not find in shuffled ones', () => {
    expect(proposalsOf(STORED).confirmed + proposalsOf(STORED).observed).toBeGreaterThan(0);
    expect(minedNull(STORED, RECORDED, { cycles: 2, seed: 1 }).confirmed.mean).toBe(0);
  });
});
