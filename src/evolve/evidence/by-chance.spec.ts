import { describe, expect, it } from '@jest/globals';
import { execution, run } from '../../../test/support/window-execution.js';
import { observe } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { chanceIn } from './by-chance.js';
import { type RecordedCall, recordedExecution } from './recorded-execution.js';

const FAILED = run('forge build', 'forge: error: the anvil is cold');
const HOT = run('forge build --hot');

function chanceOf(...runs: readonly ToolCall[][]): number {
  const executions = runs.map((calls, n) => {
    const one = execution(n, calls);
    return recordedExecution({ observed: observe(one), report: one.report });
  });
  return chanceIn(executions, ({ failure }: RecordedCall) => failure !== undefined)(['+--hot']);
}

const many = (n: number, calls: ToolCall[]): ToolCall[][] => Array.from({ length: n }, () => calls);

describe('the chance of a remedy', () => {
  it('is that of all executions together', () => {
    expect(chanceOf([FAILED, HOT])).toBeCloseTo(1 / 2, 1);
    expect(chanceOf(...many(4, [FAILED, HOT]))).toBeCloseTo(1 / 16, 1);
    expect(chanceOf(...many(4, [FAILED, HOT, run('git status'), run('ls')]))).toBeLessThan(0.01);
  });

  it('is high where the remedy follows the same call anyway', () => {
    const work = [FAILED, HOT, run('forge build'), HOT, run('forge build'), HOT];
    expect(chanceOf(...many(3, work))).toBeGreaterThan(0.1);
  });

  it('is one if the remedy never worked, and is not better for executions without it', () => {
    expect(chanceOf([FAILED], [FAILED, run('ls')])).toBe(1);
    // Of very many failures of one execution the first twenty count.
    expect(chanceOf([...Array.from({ length: 40 }, () => FAILED), HOT])).toBe(1);
    const found = many(3, [FAILED, HOT, run('ls')]);
    expect(chanceOf(...found, ...many(6, [FAILED, run('ls'), run('ls')]))).toBeCloseTo(chanceOf(...found), 1);
    expect(chanceOf(...found, ...many(6, [run('forge build -v'), HOT, FAILED]))).toBeGreaterThan(
      2 * chanceOf(...found),
    );
  });
});
