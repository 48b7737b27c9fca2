import { describe, expect, it } from '@jest/globals';
import { PYTHON_TO_PYTHON3, report, run, SYNTAX_ERROR } from '../../test/support/reports.js';
import { analysisPayload } from '../capture/analysis/payload.js';
import { actionFingerprint } from '../capture/observations/fingerprint.js';
import { observe } from '../capture/observations/observation.js';
import { obstaclesOf } from '../capture/observations/obstacles.js';
import type { ToolCall } from '../capture/report/execution-report.schema.js';
import type { Lesson } from '../memory/store/lesson.schema.js';
import { RulesProposer } from '../propose/lessons/rules.proposer.js';
import { remedyClaimsOf as claimsOf, stanceFrom } from './remedy-claim.js';

const observed = (...toolCalls: ToolCall[]) =>
  observe({
    id: 'e',
    agentId: 'a',
    agentName: 'Ada',
    owner: 'o',
    origin: 'x',
    rootExecutionKey: 'e',
    finishedAt: '2026-03-31T18:05:00Z',
    report: report({ toolCalls }),
  });

const byRules = (...toolCalls: ToolCall[]): Promise<Lesson> => aboutReport(report({ toolCalls }));

async function aboutReport(given: ReturnType<typeof report>): Promise<Lesson> {
  const { toolCalls } = given;
  const payload = analysisPayload('failure', given, observed(...toolCalls), obstaclesOf(toolCalls));
  const proposed = await new RulesProposer().propose(payload);
  if (proposed.outcome !== 'lesson') throw new Error('the rules wrote nothing');
  return proposed.lesson;
}
const said = (action: string): Lesson => ({
  discovery: 'When a script fails with a SyntaxError.',
  activation: { condition: 'You are about to run python.', action, rationale: 'It worked.' },
  steps: ['Check the result.'],
  confidence: 0.99,
  tags: [],
});

const remedyClaimsOf = (lesson: Lesson, proposer: string, calls: readonly ToolCall[]) =>
  claimsOf({ lesson, proposer, calls });

describe('the remedy claim of a lesson', () => {
  it('is the whole lesson if rules wrote it', async () => {
    const { claims, whole } = remedyClaimsOf(await byRules(...PYTHON_TO_PYTHON3), 'rules/2', PYTHON_TO_PYTHON3);
    expect(whole).toBe(true);
    expect(claims).toMatchObject([
      {
        failing: 'python',
        errorClass: 'SyntaxError',
        actions: expect.arrayContaining([actionFingerprint('replace', 'python3')]),
      },
    ]);
  });

  it('is a part of a lesson that a model or an agent wrote, if the lesson names the remedy', () => {
    const named = remedyClaimsOf(
      said('Run it with python3 and then delete the backups.'),
      'anthropic/m/prompt-1',
      PYTHON_TO_PYTHON3,
    );
    expect(named).toMatchObject({ whole: false, claims: [{ failing: 'python' }] });
    expect(remedyClaimsOf(said('Run it with ruby.'), 'anthropic/m/prompt-1', PYTHON_TO_PYTHON3).claims).toEqual([]);
  });

  it('of a changed value is confirmed by the same value only', () => {
    const broken = 'psql: error: host db1 is a replica, use db2';
    const withNew = [run('psql -h db1 -c x', broken), run('psql -h db2 -c x')];
    const { claims } = remedyClaimsOf(said('Run psql with db2.'), 'anthropic/m/prompt-1', withNew);
    expect(claims).toMatchObject([{ failing: 'psql' }]);
    expect(remedyClaimsOf(said('Run psql again.'), 'anthropic/m/prompt-1', withNew).claims).toEqual([]);
    expect(stanceFrom(claims, observed(...withNew))).toBe('supports');
    const failing = observed(run('psql -h db1 -c x', broken), run('psql -h db2 -c x', broken));
    expect(stanceFrom(claims, failing)).toBe('contradicts');
    expect(stanceFrom(claims, observed(run('psql -h db1 -c x', broken), run('psql -h db3 -c x')))).toBeUndefined();
  });

  it('is none that a success by skipping a check would confirm', () => {
    const skipped = [run('git push', 'error: hook failed'), run('git push --no-verify')];
    expect(remedyClaimsOf(said('Run git push with --no-verify.'), 'anthropic/m/prompt-1', skipped).claims).toEqual([]);
  });

  it('does not exist if the execution overcame nothing, or if the rules wrote about another failure', async () => {
    const flags = ['', '-B ', '-E '];
    const open = flags.map((flag) => run(`python ${flag}close.py`, SYNTAX_ERROR));
    const lesson = await aboutReport(report({ toolCalls: open, status: 'failed' }));
    expect(remedyClaimsOf(lesson, 'rules/2', open)).toEqual({ claims: [], whole: false });
    const other = [run('git push', 'fatal: no upstream branch'), run('git push -u origin main')];
    expect(remedyClaimsOf(await byRules(...other), 'rules/2', PYTHON_TO_PYTHON3)).toEqual({ claims: [], whole: false });
    expect(remedyClaimsOf(said('Run it with python3.'), 'rules/2', PYTHON_TO_PYTHON3)).toEqual({
      claims: [],
      whole: false,
    });
  });
});

describe('the stance of a later execution', () => {
  const shown = async (...calls: ToolCall[]) =>
    stanceFrom(
      remedyClaimsOf(await byRules(...PYTHON_TO_PYTHON3), 'rules/2', PYTHON_TO_PYTHON3).claims,
      observed(...calls),
    );
  const failed = run('python open.py', SYNTAX_ERROR);

  it('is that the remedy worked, failed, or both', async () => {
    expect(await shown(failed, run('python3 open.py'))).toBe('supports');
    expect(await shown(failed, run('python3 open.py', SYNTAX_ERROR))).toBe('contradicts');
    expect(await shown(failed, run('python3 open.py', SYNTAX_ERROR), run('python3 open.py'))).toBe('unsure');
  });

  it('is unknown if the failure did not occur, or if another remedy was tried', async () => {
    expect(await shown(run('python3 open.py'))).toBeUndefined();
    expect(await shown(failed, run('python2 open.py'))).toBeUndefined();
    expect(stanceFrom([], observed(...PYTHON_TO_PYTHON3))).toBeUndefined();
  });

  it('covers the flags of a remedy only if the execution used the same ones', async () => {
    const calls = (flags: string) => [
      run('pip install ruff', 'ERROR: No matching distribution'),
      run(`pip3 install ${flags}ruff`),
    ];
    const lesson = await byRules(...calls('--no-cache-dir '));
    const { claims } = remedyClaimsOf(lesson, 'rules/2', calls('--no-cache-dir '));
    expect(stanceFrom(claims, observed(...calls('')))).toBeUndefined();
    expect(stanceFrom(claims, observed(...calls('--no-cache-dir ')))).toBe('supports');
  });
});
