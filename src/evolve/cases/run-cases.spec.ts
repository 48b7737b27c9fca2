import { describe, expect, it } from '@jest/globals';
import { observedWork, run } from '../../../test/support/observed-work.js';
import { observe } from '../../capture/observations/observation.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { type RecordedExecution, recordedExecution } from '../evidence/recorded-execution.js';
import { runCases } from './run-cases.js';

function judged(succeeded: boolean | undefined, ...calls: ToolCall[]): RecordedExecution {
  const [stored] = observedWork([{ of: 1, calls }]);
  if (!stored) throw new Error('no execution');
  const table = recordedExecution({ observed: observe(stored), report: stored.report });
  return succeeded === undefined ? table : { ...table, succeeded };
}

const casesOf = runCases({ execution: { first: { action: 'npm run lint' }, before: { action: 'npm publish' } } });
const shown = (execution: RecordedExecution) => casesOf(execution).map(({ step, goal }) => [step.call, goal.call]);
const [lint, publish] = [run('npm run lint'), run('npm publish')];

describe('the cases of a step that good runs take', () => {
  it('are the step and the action behind it, of executions that ended well', () => {
    expect(shown(judged(true, lint, publish))).toEqual([['npm run lint', 'npm publish']]);
  });

  it('are none of executions that failed, or that nothing but the agent judged', () => {
    expect(shown(judged(false, lint, publish))).toEqual([]);
    expect(shown(judged(undefined, lint, publish))).toEqual([]);
  });

  it('are none if the step failed, came later, or overrode its check', () => {
    expect(shown(judged(true, run('npm run lint', 'error: 3 problems'), publish))).toEqual([]);
    expect(shown(judged(true, publish, lint))).toEqual([]);
    expect(shown(judged(true, run('npm run lint || true'), publish))).toEqual([]);
  });

  it('are none if the step turned a protection off', () => {
    const configured = runCases({ execution: { first: { action: 'npm config' }, before: { action: 'npm publish' } } });
    const casesWith = (step: string) => configured(judged(true, run(step), publish)).length;
    expect([casesWith('npm config set fund false'), casesWith('npm config set strict-ssl false')]).toEqual([1, 0]);
  });
});
