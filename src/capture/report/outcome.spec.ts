import { describe, expect, it } from '@jest/globals';
import type { ExecutionReport } from './execution-report.schema.js';
import { hasFailed } from './outcome.js';

type Verification = ExecutionReport['verification'];

describe('whether an execution failed', () => {
  const judged = (outcome: 'succeeded' | 'failed'): Verification => ({ outcome, source: 'test' });
  const claimed = (outcome: 'succeeded' | 'failed'): Verification => ({ outcome, source: 'self' });
  it.each<[ExecutionReport['status'], Verification, boolean]>([
    ['completed', judged('failed'), true],
    ['failed', judged('succeeded'), false],
    ['aborted', judged('succeeded'), false],
    ['failed', claimed('succeeded'), true],
    ['completed', claimed('failed'), true],
    ['completed', claimed('succeeded'), false],
    ['completed', { outcome: 'none' }, false],
    ['aborted', { outcome: 'none' }, true],
  ])('is what a judge says, else what the agent says: %s, %j', (status, verification, failed) => {
    expect(hasFailed({ status, verification })).toBe(failed);
  });
});
