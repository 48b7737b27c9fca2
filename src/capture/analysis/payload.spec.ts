import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { observe } from '../observations/observation.js';
import type { ExecutionReport, ToolCall } from '../report/execution-report.schema.js';
import { analysisPayload, PAYLOAD_LIMITS } from './payload.js';
import { AnalysisPayload } from './payload.schema.js';

const SYNTAX = 'SyntaxError: invalid syntax';
const run = (action: string): ToolCall => ({ name: 'Bash', action, ok: true });
const fail = (action: string, errorMessage = SYNTAX): ToolCall => ({ name: 'Bash', action, ok: false, errorMessage });

function finished(toolCalls: ToolCall[], change: Partial<ExecutionReport> = {}): ExecutionReport {
  return {
    executionId: 'execution-of-ada',
    taskId: 'ticket-4711',
    taskTitle: 'Close the books',
    startedAt: '2026-03-01T10:00:00Z',
    finishedAt: '2026-03-01T10:05:00Z',
    status: 'failed',
    verification: { outcome: 'none' },
    terminationReason: 'gave up',
    toolCalls,
    retryCount: 2,
    maxRetries: 3,
    ...change,
  };
}

function payloadOf(report: ExecutionReport, kind: AnalysisPayload['kind'] = 'failure'): AnalysisPayload {
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
  return analysisPayload(kind, report, observe({ ...identity, report }).episodes);
}

const messagesOf = ({ errorMessage, calls }: AnalysisPayload): string[] =>
  [errorMessage, ...calls.map((call) => call.errorMessage)].filter((message) => message !== undefined);

const anyCall = fc
  .record({
    name: fc.constantFrom('Bash', 'Read', 'Edit'),
    action: fc.oneof(fc.constantFrom('python a.py', 'python3 a.py', 'cd x && make'), fc.string({ maxLength: 1_000 })),
    ok: fc.boolean(),
    errorMessage: fc.option(fc.string({ unit: 'binary', maxLength: 2_000 }), { nil: undefined }),
  })
  .map(({ errorMessage, ...call }): ToolCall => (errorMessage === undefined ? call : { ...call, errorMessage }));

describe('the analysis payload of an execution', () => {
  it('does not say who ran it, for whom, when and with which model', () => {
    const report = finished([{ ...run('make'), durationMs: 987_654 }], {
      sessionId: 'session-of-ada',
      parentExecutionId: 'parent-of-ada',
      model: 'model-of-ada',
      tags: ['tag-of-ada'],
      sources: [`sha256:${'a'.repeat(64)}`],
      qualityScore: 9.87,
    });
    const text = JSON.stringify(payloadOf(report));
    for (const secret of ['of-ada', '4711', 'aaaa', '2026-03', '987654', '9.87']) expect(text).not.toContain(secret);
  });

  it('has no field that the schema does not name', () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 60 }), (toolCalls) => {
        const payload = payloadOf(finished(toolCalls, { errorCategory: 'x', missingCapability: 'y', turnCount: 4 }));
        // Parsing drops fields that the schema does not name.
        expect(AnalysisPayload.parse(payload)).toEqual(payload);
      }),
      { numRuns: 50 },
    );
  });

  it('holds at most three error messages, of 500 characters each, and the task in 200', () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 60 }), fc.string({ maxLength: 2_000 }), (toolCalls, text) => {
        const report = finished(toolCalls, { errorMessage: text, taskDescription: text, taskTitle: `a${text}` });
        const payload = redactDeep(payloadOf(redactDeep(report).value)).value;
        expect(messagesOf(payload).length).toBeLessThanOrEqual(3);
        for (const message of messagesOf(payload)) expect(message.length).toBeLessThanOrEqual(500);
        expect(payload.task.title.length).toBeLessThanOrEqual(200);
        expect(payload.task.description?.length ?? 0).toBeLessThanOrEqual(200);
        expect(payload.calls.length).toBeLessThanOrEqual(PAYLOAD_LIMITS.calls);
        expect(payload.obstacles.length).toBeLessThanOrEqual(PAYLOAD_LIMITS.obstacles);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps the first error messages of the calls and omits only later messages', () => {
    const calls = ['one', 'two', 'three', 'four'].map((word) => fail(`make ${word}`, `${word} is missing`));
    expect(messagesOf(payloadOf(finished(calls)))).toEqual(['one is missing', 'two is missing', 'three is missing']);
    expect(payloadOf(finished(calls)).calls).toHaveLength(4);
  });

  it('counts the error of the execution itself as one of the three', () => {
    const calls = ['one', 'two', 'three'].map((word) => fail(`make ${word}`, word));
    expect(messagesOf(payloadOf(finished(calls, { errorMessage: 'gave up' })))).toEqual(['gave up', 'one', 'two']);
  });

  it('a cut message stays within its limit when it is redacted again', () => {
    const report = finished([fail('make', 'x'.repeat(2_000))]);
    expect(messagesOf(redactDeep(payloadOf(report)).value)[0]).toBe(`${'x'.repeat(497)}...`);
  });

  it('shows a long execution by its failures with their neighbours, in order', () => {
    const calls = Array.from({ length: 200 }, (_, n) => (n === 120 ? fail('python a.py') : run(`step${n} x`)));
    const payload = payloadOf(finished(calls));
    expect(payload.calls.map(({ action }) => action)).toEqual([
      'step119 x',
      'python a.py',
      'step121 x',
      'step122 x',
      'step123 x',
    ]);
    expect(payload.omittedCalls).toBe(195);
  });

  it('shows a long execution without failures by its beginning', () => {
    const payload = payloadOf(finished(Array.from({ length: 50 }, (_, n) => run(`step${n} x`))), 'success');
    expect(payload.calls).toHaveLength(40);
    expect(payload.omittedCalls).toBe(10);
  });

  it('lists overcome failures first, then the most frequent ones', () => {
    const calls = [
      ...Array.from({ length: 3 }, () => fail('make all', 'make: *** No rule to make target')),
      fail('python a.py'),
      run('python3 a.py'),
    ];
    expect(payloadOf(finished(calls)).obstacles).toEqual([
      expect.objectContaining({
        action: 'python [file:.py]',
        failures: 1,
        remedy: 'python3 [file:.py]',
        how: 'replace',
      }),
      expect.objectContaining({ failures: 3, remedy: null, how: null }),
    ]);
  });

  it('a repetition of the same action is not a remedy', () => {
    const [obstacle] = payloadOf(finished([fail('pytest'), run('pytest')])).obstacles;
    expect(obstacle).toMatchObject({ remedy: null, how: null });
  });

  it('omits unknown values and keeps zero', () => {
    expect(Object.keys(payloadOf(finished([])))).not.toContain('turnCount');
    expect(payloadOf(finished([], { turnCount: 0 }))).toMatchObject({ turnCount: 0, retryCount: 2 });
  });
});
