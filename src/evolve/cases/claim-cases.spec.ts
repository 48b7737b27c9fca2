import { describe, expect, it } from '@jest/globals';
import { observedWork, run } from '../../../test/support/observed-work.js';
import { observe } from '../../capture/observations/observation.js';
import { obstaclesOf } from '../../capture/observations/obstacles.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import type { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import type { Family } from '../evidence/candidate.js';
import { type RecordedCall, type RecordedExecution, recordedExecution } from '../evidence/recorded-execution.js';
import { candidatesOf } from '../examination/candidates.js';
import { claimCases } from './claim-cases.js';

function recorded(...calls: ToolCall[]): RecordedExecution {
  const [stored] = observedWork([{ of: 1, calls }]);
  if (!stored) throw new Error('no execution');
  return recordedExecution({ observed: observe(stored), report: stored.report });
}

const failed = run('pytest tests', 'Error: relation is missing');
const ALL_FAILURES = { family: {} as Family, isMember: ({ failure }: RecordedCall) => failure !== undefined };
/** What the learning core finds in runs of three agents. */
function claimOf(...calls: ToolCall[]): LearnedClaim {
  const executions = observedWork([{ of: 3, calls }]).map((one) =>
    recordedExecution({ observed: observe(one), report: one.report }),
  );
  const [candidate] = candidatesOf({ ...ALL_FAILURES, executions });
  if (!candidate?.predicate.learned) throw new Error('nothing was learned');
  return candidate.predicate.learned;
}
const SEED = claimOf(failed, run('make seed'), run('pytest tests'));
const calls = (claim: LearnedClaim, execution: RecordedExecution) =>
  claimCases(
    claim,
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
    const refused = run('git push', 'fatal: certificate');
    const dangersOf = (...later: ToolCall[]) =>
      claimCases(claimOf(refused, ...later), [])(recorded(refused, ...later)).map(({ dangers }) => dangers);
    expect(dangersOf(run('git remote set-url origin x'), run('git push'))).toMatchObject([
      [{ class: 'source', call: 'git remote set-url origin x' }],
    ]);
    expect(dangersOf(run('git fetch origin'), run('git push'))).toEqual([[]]);
  });

  it('have the key that a private lesson about the same remedy has', () => {
    const [one] = claimCases(SEED, [])(recorded(failed, run('make seed'), run('pytest tests')));
    const toolCalls = [failed, run('make seed'), run('pytest tests')];
    expect(obstaclesOf(toolCalls)[0]?.remedyKey).toBe(one?.remedyKey);
    expect(one?.remedyKey).toMatch(/^sha256:/);
  });

  it('are none of executions without the failure', () => {
    expect(calls(SEED, recorded(run('make seed'), run('pytest tests')))).toEqual([]);
  });
});
