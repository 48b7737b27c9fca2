import { describe, expect, it } from '@jest/globals';
import { observedWork, run } from '../../../test/support/observed-work.js';
import { obstaclesOf } from '../../capture/analysis/obstacles.js';
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
const PUSHED: Predicate = { when: { action: 'git push' }, follow: { action: 'git push' } };
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

  it('name the dangers of the call that worked, and of the calls before it', () => {
    const dangersOf = (...later: ToolCall[]) =>
      predicateCases(
        PUSHED,
        [],
      )(recorded(run('git push', 'fatal: certificate'), ...later)).map(({ dangers }) => dangers);
    const call = 'git -c http.sslVerify=false push';
    expect(dangersOf(run(call))).toEqual([
      [{ class: 'protection', program: 'git', form: '-c http.sslVerify=false', call }],
    ]);
    expect(dangersOf(run('git remote set-url origin x'), run('git push'))).toMatchObject([
      [{ class: 'source', call: 'git remote set-url origin x' }],
    ]);
    expect(dangersOf(run('git push'))).toEqual([[]]);
  });

  it('have the key that a private lesson about the same remedy has', () => {
    const [one] = predicateCases(SEED, [])(recorded(failed, run('make seed'), run('pytest tests')));
    const toolCalls = [failed, run('make seed'), run('pytest tests')];
    expect(obstaclesOf(toolCalls)[0]?.remedyKey).toBe(one?.remedyKey);
    expect(one?.remedyKey).toMatch(/^sha256:/);
  });

  it('are none of executions without the failure', () => {
    expect(calls(SEED, recorded(run('make seed'), run('pytest tests')))).toEqual([]);
  });
});
