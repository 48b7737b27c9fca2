import { describe, expect, it } from '@jest/globals';
import type { ExecutionReport } from './execution-report.schema.js';
import { reportToSend } from './sent-report.js';

const SECRET = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
const AT = '2026-03-31T18:00:00.000Z';

function sent(sessionId: string, last = 'msg_20f3ec0f9001SgKeNYfZeZ4ThO'): ExecutionReport {
  const ids = { executionId: `opencode:${sessionId}:${last}`, taskId: 'task-1', sessionId };
  const times = { startedAt: AT, finishedAt: AT };
  const end = { status: 'completed', terminationReason: 'ended', verification: { outcome: 'none' } } as const;
  const counts = { toolCalls: [], retryCount: 0, maxRetries: 0 };
  const result = reportToSend({ ...ids, ...times, ...end, ...counts, taskTitle: `A session with ${SECRET}` });
  if (!result.usable) throw new Error('the report is not usable');
  return result.report;
}

describe('a report that leaves the machine', () => {
  it('keeps the ids of OpenCode, so that two sessions stay two', () => {
    for (const session of ['ses_df0c13fe5ffenfW3xWI1J1hzHl', 'ses_df0c1dcceffeokm37yCkV7EO01'])
      expect(sent(session)).toMatchObject({
        sessionId: session,
        executionId: `opencode:${session}:msg_20f3ec0f9001SgKeNYfZeZ4ThO`,
      });
  });

  it('has no secret in an id or a text', () => {
    expect(JSON.stringify(sent(`ses_${SECRET}`))).not.toContain(SECRET);
    expect(JSON.stringify(sent('ses_1', SECRET))).not.toContain(SECRET);
    expect(sent(`a ${SECRET}`).sessionId).not.toBe(sent(`b ${SECRET}`).sessionId);
    expect(sent(`a ${SECRET}`).sessionId).toBe(sent(`a ${SECRET}`).sessionId);
  });
});
