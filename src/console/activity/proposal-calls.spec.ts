import { expect, it } from '@jest/globals';
import { observedWork, run } from '../../../test/support/observed-work.js';
import { observe } from '../../capture/observations/observation.js';
import { type RecordedCall, recordedExecution } from '../../evolve/evidence/recorded-execution.js';
import { candidatesOf } from '../../evolve/examination/candidates.js';
import { proposalCalls } from './proposal-calls.js';

const toolCalls = [run('ls'), run('pytest tests', 'Error: relation is missing'), run('make seed'), run('pytest tests')];

it('the calls that a proposal counts are its failure and the try that follows it', () => {
  const executions = observedWork([{ of: 3, calls: toolCalls }]).map((one) =>
    recordedExecution({ observed: observe(one), report: one.report }),
  );
  const isMember = ({ failure }: RecordedCall): boolean => failure !== undefined;
  const [candidate] = candidatesOf({ isMember, executions });
  const predicate = candidate?.predicate ?? {};
  expect([...proposalCalls(predicate, { toolCalls })]).toEqual([
    [3, 'follows'],
    [1, 'failure'],
  ]);
  expect(proposalCalls({}, { toolCalls }).size).toBe(0);
});
