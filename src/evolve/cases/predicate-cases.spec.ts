import { describe, expect, it } from '@jest/globals';
import { observedWork, run } from '../../../test/support/observed-work.js';
import { observe } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { type RecordedExecution, recordedExecution } from '../evidence/recorded-execution.js';
import { predicateCases } from './predicate-cases.js';

function recorded(...calls: ToolCall[]): RecordedExecution {
  const [stored] = observedWork([{ of: 1, calls }]);
  if (!stored) throw new Error('no execution');
  return recordedExecution({ observed: observe(stored), report: stored.report });
}

const failed = run('pytest tests', 'Error: relation is missing');
const SEED: Predicate = {
  when: { action: 'pytest' },
  follow: { action: 'make seed' },
  attempt: { sameAction: true },
};
const calls = (predicate: Predicate, execution: RecordedExecution) =>
  predicateCases(
    predicate,
    [],
  )(execution).map(({ failed: one, between, worked }) => [one.call, ...between.map(({ call }) => call), worked?.call]);

describe('the cases of a lesson', () => {
  it('are the failure, the step that the lesson asks for, and the call that worked behind it', () => {
    expect(calls(SEED, recorded(failed, run('make seed'), run('pytest tests')))).toEqual([
      ['pytest tests', 'make seed', 'pytest tests'],
    ]);
  });

  it('show the other steps that prepared the call that worked, and not those that only look', () => {
    const execution = recorded(failed, run('docker compose up'), run('ls'), run('make seed'), run('pytest tests'));
    expect(calls(SEED, execution)).toEqual([['pytest tests', 'docker compose up', 'make seed', 'pytest tests']]);
  });

  it('show a failure without a remedy if the step was not taken, or did not help', () => {
    expect(calls(SEED, recorded(failed, run('pytest tests')))).toEqual([['pytest tests', undefined]]);
    expect(calls(SEED, recorded(failed, run('make seed'), failed))).toEqual([['pytest tests', undefined]]);
  });

  it('are none of executions without the failure', () => {
    expect(calls(SEED, recorded(run('make seed'), run('pytest tests')))).toEqual([]);
  });
});
