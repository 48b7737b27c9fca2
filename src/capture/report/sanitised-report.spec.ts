import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ExecutionReport, REPORT_LIMITS } from './execution-report.schema.js';
import { sanitiseReport } from './sanitised-report.js';

function finished(change: Partial<ExecutionReport> = {}): ExecutionReport {
  return {
    executionId: 'execution-1',
    taskId: 'task-1',
    taskTitle: 'Close the books',
    startedAt: '2026-03-01T10:00:00Z',
    finishedAt: '2026-03-01T10:05:00Z',
    status: 'failed',
    verification: { outcome: 'none' },
    terminationReason: 'gave up',
    toolCalls: [],
    retryCount: 0,
    maxRetries: 3,
    ...change,
  };
}

/** One character that normalising turns into eighteen letters. */
const LIGATURE = '\ufdfa';
const INVISIBLE = '\u200b\u2060';

function stored(change: Partial<ExecutionReport>) {
  const sanitised = sanitiseReport(finished(change));
  if (!sanitised.usable) throw new Error(JSON.stringify(sanitised.issues));
  return sanitised;
}

const refusedFields = (change: Partial<ExecutionReport>): string[] => {
  const sanitised = sanitiseReport(finished(change));
  return sanitised.usable ? [] : sanitised.issues.map(({ path }) => path.join('.'));
};

describe('a sanitised report', () => {
  it('is unchanged if it has nothing to redact', () => {
    const report = finished({ taskDescription: 'of March', tags: ['books'], sources: [`sha256:${'0f'.repeat(32)}`] });
    expect(sanitiseReport(report)).toEqual({ usable: true, report, findings: [] });
  });

  it('has no secret, only a count of its kind', () => {
    const { report, findings } = stored({ errorMessage: 'login failed: password=hunter2hunter' });
    expect(report.errorMessage).not.toContain('hunter2');
    expect(findings).toEqual([{ rule: expect.any(String), count: 1 }]);
  });

  it('cuts a text that normalising makes longer than its limit', () => {
    const { report } = stored({
      taskTitle: LIGATURE.repeat(REPORT_LIMITS.title),
      tags: [LIGATURE.repeat(REPORT_LIMITS.tag)],
      toolCalls: [{ name: 'Bash', action: LIGATURE.repeat(REPORT_LIMITS.action), ok: true }],
    });
    expect(report.taskTitle).toHaveLength(REPORT_LIMITS.title);
    expect(report.tags?.[0]).toHaveLength(REPORT_LIMITS.tag);
    expect(report.toolCalls[0]?.action).toHaveLength(REPORT_LIMITS.action);
  });

  it('stays within its limits if a marker is longer than its secret', () => {
    const secret = 'DB_PASSWORD=hunter2hunter';
    const taskTitle = `${'x'.repeat(REPORT_LIMITS.title - secret.length - 1)} ${secret}`;
    const { report } = stored({ taskTitle });
    expect(report.taskTitle).not.toContain('hunter2');
    expect(report.taskTitle.length).toBeLessThanOrEqual(REPORT_LIMITS.title);
  });

  it.each([
    ['taskTitle', { taskTitle: INVISIBLE }],
    ['executionId', { executionId: INVISIBLE }],
    ['tags.0', { tags: [INVISIBLE] }],
    ['toolCalls.0.name', { toolCalls: [{ name: INVISIBLE, action: '', ok: true }] }],
  ])('is refused if a field becomes empty: %s', (field, change) => {
    expect(refusedFields(change)).toEqual([field]);
  });

  it('leaves out optional texts that become empty, and cuts the others', () => {
    const { report } = stored({
      environment: { harness: INVISIBLE, project: LIGATURE.repeat(REPORT_LIMITS.label) },
      toolCalls: [
        {
          name: 'Bash',
          action: 'ls',
          ok: false,
          errorLine: INVISIBLE,
          errorCategory: INVISIBLE,
          arguments: [
            { key: INVISIBLE, type: 'text' },
            { key: 'path', type: 'text', value: LIGATURE.repeat(REPORT_LIMITS.argumentValue), fileKind: INVISIBLE },
          ],
        },
      ],
    });
    expect(report.environment?.harness).toBeUndefined();
    expect(report.environment?.project).toHaveLength(REPORT_LIMITS.label);
    expect(report.toolCalls[0]).toEqual({
      name: 'Bash',
      action: 'ls',
      ok: false,
      arguments: [expect.anything(), expect.objectContaining({ key: 'path' })],
    });
    expect(report.toolCalls[0]?.arguments?.[1]?.value).toHaveLength(REPORT_LIMITS.argumentValue);
  });

  it('is stored without the rows that a failing command printed, in every field that repeats them', () => {
    const rows = 'Exit code 1\n17,Ann Canary,Berlin\n18,Ben Canary,Bonn';
    const { report } = stored({
      errorMessage: rows,
      toolCalls: [
        {
          name: 'Bash',
          action: 'cat customers.csv && false',
          ok: false,
          errorMessage: rows,
          errorLine: '17,Ann Canary,Berlin',
        },
        { name: 'run_report', action: 'table', ok: false, errorMessage: rows },
      ],
    });
    expect(JSON.stringify(report)).not.toContain('Canary');
    expect(report.toolCalls[0]?.errorMessage).toBe('Exit code 1\n[output without an error line]');
  });

  it('never has a cut id, since two ids could become equal', () => {
    expect(refusedFields({ executionId: LIGATURE.repeat(REPORT_LIMITS.id) })).toEqual(['executionId']);
  });

  it('can always be read again for any text of the report', () => {
    const text = (max: number) => fc.string({ unit: 'binary', minLength: 1, maxLength: max });
    const part = fc.constantFrom(LIGATURE, INVISIBLE, 'password=hunter2hunter ', ' ', 'ab', '\u0000', '…', '[');
    const hostile = fc.array(part, { minLength: 1, maxLength: 30 }).map((parts) => parts.join('').slice(0, 200));
    const either = fc.oneof(text(60), hostile);
    const argument = fc.record(
      {
        key: fc.oneof(either, fc.constantFrom('content', 'path', '__proto__', 'constructor', 'limit')),
        type: fc.constantFrom('text', 'number', 'boolean', 'list', 'object', 'null'),
        value: either,
        length: fc.nat(1_000),
        fileKind: fc.oneof(text(20), fc.constantFrom('.py', LIGATURE, INVISIBLE)),
      },
      { requiredKeys: ['key', 'type'] },
    );
    const call = fc.record(
      {
        name: text(50),
        action: text(200),
        ok: fc.boolean(),
        errorMessage: fc.oneof(text(200), hostile),
        errorLine: either,
        errorCategory: fc.oneof(text(50), fc.constant(INVISIBLE)),
        arguments: fc.array(argument, { maxLength: 3 }),
        ran: fc.boolean(),
      },
      { requiredKeys: ['name', 'action', 'ok'] },
    );
    const environment = fc.record(
      {
        harness: either,
        harnessVersion: either,
        operatingSystem: either,
        interpreters: fc.array(fc.record({ name: either, version: either }), { maxLength: 2 }),
        project: either,
        repository: either,
      },
      { requiredKeys: [] },
    );
    const changes = fc.record({
      taskTitle: fc.oneof(text(200), hostile),
      terminationReason: hostile,
      errorMessage: either,
      environment,
      toolCalls: fc.array(call, { maxLength: 3 }),
      tags: fc.array(text(20), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(changes, (change) => {
        const sanitised = sanitiseReport(finished(change));
        if (sanitised.usable) expect(ExecutionReport.safeParse(sanitised.report).success).toBe(true);
        else {
          const required = sanitised.issues.map(({ path }) =>
            path.filter((part) => typeof part === 'string').join('.'),
          );
          expect(required).not.toHaveLength(0);
          for (const field of required)
            expect(['taskTitle', 'terminationReason', 'tags', 'toolCalls.name']).toContain(field);
        }
      }),
    );
  });
});
