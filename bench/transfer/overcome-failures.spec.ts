import { describe, expect, it } from '@jest/globals';
import type { Verdict } from '../../src/evidence/predicate/check.schema.js';
import { halvesOf } from '../../src/evolve/evidence/halves.js';
import { type RecordedExecution, recordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import type { LearnedClaim } from '../../src/learning/patterns/pattern.schema.js';
import { learnedClaim } from '../../test/support/learned-claims.js';
import { observeStored } from '../fidelity/product-lessons.js';
import { readSet } from '../sets/set-reader.js';
import type { ExaminedLesson } from './examined.js';
import { overcomeFailures, uncoveredText } from './overcome-failures.js';

interface GivenCall {
  readonly args: string;
  readonly error?: string;
}

/** One run, in its own task each time. */
function runs(n: number, ...calls: readonly GivenCall[]): RecordedExecution[] {
  const rows = Array.from({ length: n }, (_, at) => ({
    id: `s${at}`,
    agent_id: `agent ${at % 4}`,
    task_id: `close ${at}`,
    tool_calls: calls.map(({ args, error }) => ({ tool: 'Bash', args, ok: error === undefined, error })),
  }));
  const { executions } = readSet(rows.map((row) => JSON.stringify(row)).join('\n'), 'ledgers');
  return executions.map((one) => {
    const { observed, report } = observeStored(one);
    return recordedExecution({ observed, report });
  });
}

/** A lesson that was learned from the first half of the tasks. */
function lesson(executions: readonly RecordedExecution[], learned: LearnedClaim, verdict: Verdict): ExaminedLesson {
  // only what says which executions a candidate was learned from, and what it says
  const candidate = { key: 'k', predicate: { learned }, heldOut: 'b', check: { verdict } } as unknown;
  const of = { halves: halvesOf(executions, { by: 'origin' }), split: 'time' } as unknown;
  return { key: 'k', verdict, candidates: [{ candidate, of }] } as ExaminedLesson;
}

const FAILED = { args: 'python close.py', error: 'bash: python: command not found' };
const INIT = { args: 'terraform init' };
const PLAN = { args: 'terraform plan' };
const UNPLANNED = { ...PLAN, error: 'Error: cannot read main.tf: run "terraform init"' };
const PYTHON3 = { call: FAILED.args, error: FAILED.error, remedy: 'python3 close.py' };

describe('a failure that its run overcame', () => {
  const executions = runs(20, FAILED, { args: 'ls' }, { args: 'python3 close.py' });
  const held = halvesOf(executions, { by: 'origin' }).b.length;
  const standing = (...lessons: readonly ExaminedLesson[]) => {
    const found = overcomeFailures(executions, lessons);
    const count = (of: 'matchedBy' | 'saidBy', verdict: Verdict): number =>
      found.filter((one) => one[of].has(verdict)).length;
    return {
      matched: count('matchedBy', 'confirmed'),
      said: count('saidBy', 'confirmed'),
      observed: count('saidBy', 'observed'),
    };
  };

  it('is held against lessons that were learned from other tasks', () => {
    expect(overcomeFailures(executions, [])).toHaveLength(20);
    expect(held).toBeGreaterThan(2);
    expect(held).toBeLessThan(18);
    const confirmed = lesson(executions, learnedClaim(PYTHON3), 'confirmed');
    expect(standing(confirmed)).toEqual({ matched: held, said: held, observed: 0 });
  });

  it('is not strictly recoverable by a lesson that says something else', () => {
    const other = lesson(executions, learnedClaim({ ...PYTHON3, remedy: 'pypy close.py' }), 'confirmed');
    expect(standing(other)).toEqual({ matched: held, said: 0, observed: 0 });
    const silent = lesson(executions, learnedClaim({ ...PYTHON3, error: 'no such error' }), 'confirmed');
    expect(standing(silent)).toEqual({ matched: 0, said: 0, observed: 0 });
  });

  it('tells observed lessons from confirmed ones, and leaves out those that are neither', () => {
    expect(standing(lesson(executions, learnedClaim(PYTHON3), 'observed'))).toEqual({
      matched: 0,
      said: 0,
      observed: held,
    });
    expect(standing(lesson(executions, learnedClaim(PYTHON3), 'undecided'))).toEqual({
      matched: 0,
      said: 0,
      observed: 0,
    });
  });

  it('is none if a plain repeat worked, or nothing did', () => {
    expect(overcomeFailures(runs(1, FAILED, { args: FAILED.args }), [])).toEqual([]);
    expect(overcomeFailures(runs(1, FAILED, { args: 'ls' }), [])).toEqual([]);
  });

  it('is written as text with its error and the calls that overcame it', () => {
    const all = overcomeFailures(runs(3, { args: 'ls' }, UNPLANNED, INIT, PLAN), []);
    const text = uncoveredText('ledgers', all, 2, 0);
    expect(text).toContain('# ledgers: 2 of 3 uncovered failures');
    expect(text.match(/no lesson matches/g)).toHaveLength(2);
    expect(text).toContain(
      [
        'failed (call 1, shell): terraform plan',
        `error: ${UNPLANNED.error}`,
        'step (call 2, shell): terraform init',
        'worked (call 3, shell): terraform plan',
      ].join('\n'),
    );
    expect(uncoveredText('ledgers', all, 2, 0)).toBe(text);
  });

  it('is not written if a confirmed lesson says what overcame it', () => {
    const all = overcomeFailures(executions, [lesson(executions, learnedClaim(PYTHON3), 'confirmed')]);
    expect(uncoveredText('ledgers', all, 99, 0)).toContain(`# ledgers: ${20 - held} of ${20 - held} uncovered`);
  });
});
