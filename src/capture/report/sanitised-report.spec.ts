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
      errorMessage: LIGATURE.repeat(REPORT_LIMITS.errorMessage),
      tags: [LIGATURE.repeat(REPORT_LIMITS.tag)],
      toolCalls: [{ name: 'Bash', action: LIGATURE.repeat(REPORT_LIMITS.action), ok: true }],
    });
    expect(report.taskTitle).toHaveLength(REPORT_LIMITS.title);
    expect(report.errorMessage).toHaveLength(REPORT_LIMITS.errorMessage);
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

  it('never has a cut id, since two ids could become equal', () => {
    expect(refusedFields({ executionId: LIGATURE.repeat(REPORT_LIMITS.id) })).toEqual(['executionId']);
  });

  it('can always be read again for any text of the report', () => {
    const text = (max: number) => fc.string({ unit: 'binary', minLength: 1, maxLength: max });
    const part = fc.constantFrom(LIGATURE, INVISIBLE, 'password=hunter2hunter ', ' ', 'ab', '\u0000', '…', '[');
    const hostile = fc.array(part, { minLength: 1, maxLength: 30 }).map((parts) => parts.join('').slice(0, 200));
    const call = fc.record({
      name: text(50),
      action: text(200),
      ok: fc.boolean(),
      errorMessage: fc.oneof(text(200), hostile),
    });
    const changes = fc.record({
      taskTitle: fc.oneof(text(200), hostile),
      terminationReason: hostile,
      toolCalls: fc.array(call, { maxLength: 3 }),
      tags: fc.array(text(20), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(changes, (change) => {
        const sanitised = sanitiseReport(finished(change));
        if (sanitised.usable) expect(ExecutionReport.safeParse(sanitised.report).success).toBe(true);
        else expect(sanitised.issues).not.toHaveLength(0);
      }),
    );
  });
});
