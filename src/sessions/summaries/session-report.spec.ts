import { describe, expect, it } from '@jest/globals';
import { report, run } from '../../../test/support/reports.js';
import { wholeSession } from './session-report.js';

const part = (from: string, to: string, command: string, turnCount?: number) =>
  report({
    startedAt: `2026-03-31T${from}:00Z`,
    finishedAt: `2026-03-31T${to}:00Z`,
    toolCalls: [run(command)],
    ...(turnCount === undefined ? {} : { turnCount }),
  });

describe('the reports of one session', () => {
  it('are one after the other, with all their calls and turns', () => {
    const whole = wholeSession([part('10:00', '11:00', 'second', 3), part('08:00', '09:00', 'first', 4)]);
    expect(whole).toMatchObject({
      startedAt: '2026-03-31T08:00:00Z',
      finishedAt: '2026-03-31T11:00:00Z',
      turnCount: 7,
      toolCalls: [{ action: 'first' }, { action: 'second' }],
    });
  });

  it('count once if they are states of one run', () => {
    const whole = wholeSession([part('08:00', '11:00', 'grown'), part('08:00', '09:00', 'early')]);
    expect(whole?.toolCalls).toMatchObject([{ action: 'grown' }]);
    expect(wholeSession([])).toBeUndefined();
  });
});
