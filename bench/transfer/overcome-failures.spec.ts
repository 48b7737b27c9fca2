import { describe, expect, it } from '@jest/globals';
import type { Verdict } from '../../src/evidence/predicate/check.schema.js';
import type { Predicate } from '../../src/evidence/predicate/predicate.schema.js';
import { halvesOf } from '../../src/evolve/evidence/halves.js';
import { type RecordedExecution, recordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { observeStored } from '../fidelity/product-lessons.js';
import { readSet } from '../sets/set-reader.js';
import type { ExaminedLesson } from './examined.js';
import { overcomeFailures, remedyTest, uncoveredText } from './overcome-failures.js';

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
function lesson(executions: readonly RecordedExecution[], predicate: Predicate, verdict: Verdict): ExaminedLesson {
  // only what says which executions a candidate was learned from, and what it says
  const candidate = { key: 'k', predicate, heldOut: 'b', check: { verdict } } as unknown;
  const of = { halves: halvesOf(executions, { by: 'origin' }), split: 'time' } as unknown;
  return { key: 'k', verdict, candidates: [{ candidate, of }] } as ExaminedLesson;
}

const FAILED = { args: 'python close.py', error: 'bash: python: command not found' };
const INIT = { args: 'terraform init' };
const PLAN = { args: 'terraform plan' };
const UNPLANNED = { ...PLAN, error: 'Error: cannot read main.tf: run "terraform init"' };
const PYTHON3: Predicate = { when: { error: 'command not found' }, follow: { args: '\\bpython3\\b' } };

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
    const confirmed = lesson(executions, PYTHON3, 'confirmed');
    expect(standing(confirmed)).toEqual({ matched: held, said: held, observed: 0 });
  });

  it('is not strictly recoverable by a lesson that says something else', () => {
    const other = lesson(executions, { ...PYTHON3, follow: { args: '\\bpypy\\b' } }, 'confirmed');
    expect(standing(other)).toEqual({ matched: held, said: 0, observed: 0 });
    const silent = lesson(executions, { ...PYTHON3, when: { error: 'no such error' } }, 'confirmed');
    expect(standing(silent)).toEqual({ matched: 0, said: 0, observed: 0 });
  });

  it('tells observed lessons from confirmed ones, and leaves out those that are neither', () => {
    expect(standing(lesson(executions, PYTHON3, 'observed'))).toEqual({ matched: 0, said: 0, observed: held });
    expect(standing(lesson(executions, PYTHON3, 'undecided'))).toEqual({ matched: 0, said: 0, observed: 0 });
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
    const all = overcomeFailures(executions, [lesson(executions, PYTHON3, 'confirmed')]);
    expect(uncoveredText('ledgers', all, 99, 0)).toContain(`# ledgers: ${20 - held} of ${20 - held} uncovered`);
  });
});

describe('what a lesson says', () => {
  const step: Predicate = {
    when: { error: 'main\\.tf' },
    follow: { args: '^terraform init' },
    attempt: { args: '^terraform plan' },
  };
  /** Whether the last call of the first run does what the predicate says about its first one. */
  function says(predicate: Predicate, ...calls: readonly GivenCall[]): boolean {
    const [failed, ...tried] = runs(1, ...calls)[0]?.calls ?? [];
    return failed !== undefined && remedyTest(predicate)(failed, tried);
  }

  it('is done by the call itself, not by one before it', () => {
    expect(says(PYTHON3, FAILED, { args: 'python3 close.py' })).toBe(true);
    expect(says(PYTHON3, FAILED, { args: 'python3 --version' }, { args: '/opt/python close.py' })).toBe(false);
  });

  it('is done by a step that worked before the call', () => {
    expect(says(step, UNPLANNED, INIT, PLAN)).toBe(true);
    expect(says(step, UNPLANNED, PLAN)).toBe(false);
    expect(says(step, UNPLANNED, { ...INIT, error: 'Error: no network' }, PLAN)).toBe(false);
    expect(says(step, UNPLANNED, PLAN, INIT)).toBe(false);
  });

  it('is done within the calls that the predicate allows', () => {
    expect(says({ ...PYTHON3, within: 1 }, FAILED, { args: 'ls' }, { args: 'python3 close.py' })).toBe(false);
    expect(says({ ...PYTHON3, within: 2 }, FAILED, { args: 'ls' }, { args: 'python3 close.py' })).toBe(true);
  });

  it('is, of a lesson about first calls, its form or its step', () => {
    const form = { covers: { error: 'command not found' }, start: { action: {}, form: { args: 'python3' } } };
    expect(says(form, FAILED, { args: 'python3 close.py' })).toBe(true);
    const prior = { start: { action: { args: '^terraform plan' }, prior: { args: '^terraform init' } } };
    expect(says(prior, UNPLANNED, INIT, PLAN)).toBe(true);
    expect(says(prior, UNPLANNED, PLAN)).toBe(false);
  });
});
