import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { observe } from '../observations/observation.js';
import { obstaclesOf } from '../observations/obstacles.js';
import type { ExecutionReport, ToolCall } from '../report/execution-report.schema.js';
import { type CaptureDecision, type CaptureStrategy, captureStrategy } from './capture.strategy.js';

const SETTINGS = { minScore: 8, percentile: 75 };
const TYPES = ['failure', 'success', 'hybrid'] as const;
const VERIFIED = { outcome: 'succeeded', source: 'test' } as const;

const run = (action: string): ToolCall => ({ name: 'Bash', action, ok: true });
const fail = (action: string, errorMessage: string): ToolCall => ({ name: 'Bash', action, ok: false, errorMessage });
const SYNTAX = 'SyntaxError: invalid syntax';
const OUTAGE = 'HTTP 503 Service Unavailable';
const RECOVERED = [fail('python a.py', SYNTAX), run('python3 a.py')];

function finished(change: Partial<ExecutionReport> = {}): ExecutionReport {
  return {
    executionId: 'execution-1',
    taskId: 'task-1',
    taskTitle: 'Close the books',
    startedAt: '2026-03-01T10:00:00Z',
    finishedAt: '2026-03-01T10:05:00Z',
    status: 'completed',
    verification: { outcome: 'none' },
    terminationReason: 'end_turn',
    toolCalls: [run('git status')],
    turnCount: 3,
    retryCount: 0,
    maxRetries: 3,
    ...change,
  };
}

function verdict(strategy: CaptureStrategy, report: ExecutionReport, recentQuality: number[] = []): CaptureDecision {
  const { finishedAt } = report;
  const identity = {
    id: 'e',
    agentId: 'a',
    agentName: 'Ada',
    owner: 'o',
    rootExecutionKey: 'e',
    origin: 'x',
    finishedAt,
  };
  return strategy.decide({
    report,
    observations: observe({ ...identity, report }),
    obstacles: obstaclesOf(report.toolCalls),
    recentQuality,
  });
}

const strategyOf = (type: CaptureStrategy['type']): CaptureStrategy => captureStrategy(type, SETTINGS);
const kindOf = (verdict: CaptureDecision) => (verdict.learnable ? verdict.kind : 'nothing');
const consider = (type: CaptureStrategy['type'], change: Partial<ExecutionReport>, recent: number[] = []) =>
  verdict(strategyOf(type), finished(change), recent);

const EXCELLENT = { verification: VERIFIED, qualityScore: 10 } as const;

const anyReport = fc
  .record({
    status: fc.constantFrom('completed', 'failed', 'aborted'),
    toolCalls: fc.array(
      fc.constantFrom(...RECOVERED, fail('curl x', OUTAGE), run('git status'), fail('make all', 'make: error')),
      { maxLength: 6 },
    ),
    verification: fc.constantFrom(
      VERIFIED,
      { outcome: 'none' } as const,
      { outcome: 'succeeded', source: 'self' } as const,
      { outcome: 'failed', source: 'ci' } as const,
    ),
    qualityScore: fc.option(fc.double({ min: 0, max: 10, noNaN: true }), { nil: undefined }),
    turnCount: fc.option(fc.nat(3), { nil: undefined }),
    errorMessage: fc.option(fc.constantFrom(OUTAGE, SYNTAX), { nil: undefined }),
  })
  .map(({ qualityScore, turnCount, errorMessage, ...rest }) => {
    const { turnCount: _, ...base } = finished(rest);
    return {
      ...base,
      ...(qualityScore === undefined ? {} : { qualityScore }),
      ...(turnCount === undefined ? {} : { turnCount }),
      ...(errorMessage === undefined ? {} : { errorMessage }),
    };
  });
const anyScores = fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { maxLength: 40 });

describe.each(TYPES)('the %s strategy, like every capture strategy,', (type) => {
  it('skips an execution that never started, however it ended', () => {
    for (const status of ['completed', 'failed', 'aborted'] as const) {
      const change = { ...EXCELLENT, status, toolCalls: [], turnCount: 0, errorMessage: SYNTAX };
      expect(consider(type, change)).toEqual({ learnable: false, reason: 'never started' });
    }
  });

  it('skips an execution without a call, also if its number of turns is unknown', () => {
    const { turnCount: _, ...unknown } = finished({ toolCalls: [], status: 'failed', errorMessage: SYNTAX });
    expect(verdict(strategyOf(type), unknown)).toEqual({ learnable: false, reason: 'made no call' });
  });

  it.each(['interrupted', 'cancelled', 'user_abort', 'aborted by the user'])(
    'skips an execution that a person stopped (%s)',
    (terminationReason) => {
      for (const status of ['failed', 'aborted'] as const)
        expect(consider(type, { status, terminationReason, toolCalls: RECOVERED })).toEqual({
          learnable: false,
          reason: 'cancelled by the user',
        });
    },
  );

  it('skips a failure that was only an outage', () => {
    const calls = [run('git status'), fail('curl https://books', OUTAGE), fail('curl https://books', OUTAGE)];
    for (const status of ['failed', 'aborted'] as const) {
      expect(kindOf(consider(type, { status, toolCalls: calls }))).toBe('nothing');
      expect(kindOf(consider(type, { status, errorMessage: 'rate limit exceeded' }))).toBe('nothing');
    }
  });

  it('never captures an unverified success, or the agent’s own claim, as a success', () => {
    const claims = [{ outcome: 'none' }, { outcome: 'succeeded', source: 'self' }] as const;
    for (const verification of claims) {
      expect(kindOf(consider(type, { verification, qualityScore: 10 }))).toBe('nothing');
      expect(kindOf(consider(type, { verification, qualityScore: 10, toolCalls: RECOVERED }))).not.toBe('success');
    }
  });

  it('gives a reason whenever it skips, and decides the same for the same execution', () => {
    fc.assert(
      fc.property(anyReport, anyScores, (report, scores) => {
        const first = verdict(strategyOf(type), report, scores);
        expect(verdict(strategyOf(type), report, scores)).toEqual(first);
        if (!first.learnable) expect(first.reason).not.toBe('');
        if (first.learnable && first.kind === 'success') {
          expect(report.status).toBe('completed');
          expect(report.verification).toEqual(VERIFIED);
          expect(report.qualityScore).toBeGreaterThanOrEqual(SETTINGS.minScore);
        }
      }),
    );
  });
});

describe('the failure strategy', () => {
  it('counts an abort as a failure', () => {
    const toolCalls = [fail('make all', 'make: *** No rule to make target')];
    for (const status of ['failed', 'aborted'] as const)
      expect(consider('failure', { status, toolCalls })).toEqual({ learnable: true, kind: 'failure' });
  });

  it('captures a failure with a recovery for any end', () => {
    for (const status of ['completed', 'failed', 'aborted'] as const)
      expect(kindOf(consider('failure', { status, toolCalls: RECOVERED }))).toBe('failure');
  });

  it('skips executions without a failure, or where only repeating helped', () => {
    const skipped = { learnable: false, reason: 'no failure with a recovery' };
    expect(consider('failure', {})).toEqual(skipped);
    expect(consider('failure', { toolCalls: [fail('pytest', SYNTAX), run('pytest')] })).toEqual(skipped);
  });

  it('names the attribution of a failure that is not learnable', () => {
    const reasonFor = (change: Partial<ExecutionReport>) => consider('failure', { status: 'failed', ...change });
    expect(reasonFor({ errorMessage: OUTAGE })).toEqual({ learnable: false, reason: 'attributed to environment' });
    expect(reasonFor({ errorMessage: 'HTTP 403 Forbidden' })).toMatchObject({ reason: 'attributed to permission' });
    expect(reasonFor({ missingCapability: 'browser' })).toMatchObject({ reason: 'attributed to capability' });
    expect(reasonFor({ toolCalls: [fail('curl x', OUTAGE)] })).toMatchObject({ reason: 'attributed to environment' });
  });

  it('an outage in between does not hide a learnable failure', () => {
    const toolCalls = [fail('curl x', OUTAGE), ...RECOVERED];
    expect(kindOf(consider('failure', { status: 'failed', toolCalls }))).toBe('failure');
  });
});

describe('the success strategy', () => {
  /** 8.0, 8.1 … : with 20 of them the 75th percentile is the 15th, 9.4. */
  const scores = (count: number): number[] => Array.from({ length: count }, (_, n) => (80 + n) / 10);
  const withQuality = (qualityScore: number, recent: number[]) =>
    consider('success', { verification: VERIFIED, qualityScore }, recent);

  it('captures a verified success of sufficient quality', () => {
    expect(withQuality(8, [8])).toEqual({ learnable: true, kind: 'success' });
    expect(withQuality(7.99, [7.99])).toEqual({ learnable: false, reason: 'quality is below the minimum' });
  });

  it('requires a score in the upper quarter once there are twenty scores', () => {
    expect(kindOf(withQuality(9.4, scores(20)))).toBe('success');
    expect(withQuality(9.3, scores(20))).toEqual({
      learnable: false,
      reason: "quality is below the agent's percentile",
    });
  });

  it('uses only the minimum score while there are fewer', () => {
    expect(kindOf(withQuality(8, scores(19)))).toBe('success');
  });

  it('takes percentiles with fractions', () => {
    /** 1.01, 1.02 … 5.00: the 97.5th percentile of 400 is the 390th, the 97.4th the 389.6th, which is the same. */
    const many = Array.from({ length: 400 }, (_, n) => (100 + n) / 100);
    const at = (percentile: number, qualityScore: number) =>
      kindOf(
        verdict(
          captureStrategy('success', { minScore: 0, percentile }),
          finished({ verification: VERIFIED, qualityScore }),
          many,
        ),
      );
    expect([at(97.5, 4.89), at(97.5, 4.88)]).toEqual(['success', 'nothing']);
    expect([at(97.75, 4.9), at(97.75, 4.89)]).toEqual(['success', 'nothing']);
    expect([at(97, 4.87), at(97, 4.86)]).toEqual(['success', 'nothing']);
  });

  it('takes the exact rank, whatever the fraction is in binary', () => {
    // 0.55 × 20 is 11.000000000000002 in binary fractions, and 0.07 × 100 is 7.000000000000001.
    const at = (percentile: number, count: number, rank: number) =>
      [rank, rank - 1].map((n) =>
        kindOf(
          verdict(
            captureStrategy('success', { minScore: 0, percentile }),
            finished({ verification: VERIFIED, qualityScore: n / 100 }),
            Array.from({ length: count }, (_, i) => (i + 1) / 100),
          ),
        ),
      );
    expect(at(55, 20, 11)).toEqual(['success', 'nothing']);
    expect(at(7, 100, 7)).toEqual(['success', 'nothing']);
    expect(at(99.9, 1_000, 999)).toEqual(['success', 'nothing']);
  });

  it('does not depend on the order of the scores', () => {
    expect(kindOf(withQuality(9.4, scores(20).reverse()))).toBe('success');
    expect(kindOf(withQuality(9.3, scores(20).reverse()))).toBe('nothing');
  });

  it('names the missing requirement', () => {
    expect(consider('success', { verification: VERIFIED })).toMatchObject({ reason: 'has no quality score' });
    expect(consider('success', { ...EXCELLENT, status: 'failed' })).toMatchObject({ reason: 'did not complete' });
    expect(consider('success', { qualityScore: 10 })).toMatchObject({ reason: 'success is not verified' });
    const failed = { outcome: 'failed', source: 'ci' } as const;
    expect(consider('success', { ...EXCELLENT, verification: failed })).toMatchObject({
      reason: 'success is not verified',
    });
  });
});

describe('the hybrid strategy', () => {
  it('captures exactly when one of the other two would', () => {
    fc.assert(
      fc.property(anyReport, anyScores, (report, scores) => {
        const [failure, success, hybrid] = TYPES.map((type) => kindOf(verdict(strategyOf(type), report, scores)));
        expect([failure, success]).toContain(hybrid);
        expect(hybrid === 'nothing').toBe(failure === 'nothing' && success === 'nothing');
      }),
    );
  });

  it('captures a verified success as a success and a failure as a failure', () => {
    expect(kindOf(consider('hybrid', EXCELLENT))).toBe('success');
    expect(kindOf(consider('hybrid', { status: 'failed', toolCalls: RECOVERED }))).toBe('failure');
  });

  it('gives the reason of the strategy that applies to the end', () => {
    const reasonOf = (change: Partial<ExecutionReport>) => consider('hybrid', change);
    expect(reasonOf({ verification: VERIFIED })).toMatchObject({ reason: 'has no quality score' });
    expect(reasonOf({ verification: VERIFIED, qualityScore: 5 })).toMatchObject({
      reason: 'quality is below the minimum',
    });
    expect(reasonOf({})).toMatchObject({ reason: 'success is not verified' });
    expect(reasonOf({ status: 'failed', errorMessage: OUTAGE })).toMatchObject({
      reason: 'attributed to environment',
    });
    const failed = { outcome: 'failed', source: 'ci' } as const;
    expect(reasonOf({ verification: failed })).toMatchObject({ reason: 'no failure with a recovery' });
  });
});

describe('a success that the agent verified itself', () => {
  const own = (...checks: boolean[]) => ({
    verification: {
      outcome: 'succeeded',
      source: 'self',
      ...(checks.length === 0 ? {} : { checks: checks.map((ok) => ({ name: 'npm test', ok })) }),
    } as const,
    qualityScore: 9,
  });

  it('teaches by the checks that passed, and not by its word', () => {
    for (const type of ['success', 'hybrid'] as const) {
      expect(kindOf(consider(type, own(true)))).toBe('success');
      expect(kindOf(consider(type, own()))).toBe('nothing');
      expect(kindOf(consider(type, own(true, false)))).toBe('nothing');
    }
  });
});
