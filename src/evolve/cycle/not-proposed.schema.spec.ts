import { describe, expect, it } from '@jest/globals';
import { DROP_REASONS } from '../examination/drop-reason.js';
import { CycleReport } from './cycles.schema.js';
import { DROP_TEXTS, leftOut, notProposedText } from './not-proposed.schema.js';

const report = (change: Partial<CycleReport>): CycleReport =>
  CycleReport.parse({
    window: { from: '', to: '' },
    executionsRead: 3,
    patterns: 1,
    kept: 0,
    belowThreshold: 0,
    lowConfidence: 0,
    alreadyPending: 0,
    alreadyApproved: 0,
    rememberedRejections: 0,
    conflicts: 0,
    supersessions: 0,
    passing: 0,
    unwordable: 0,
    emitted: 0,
    heldBack: 0,
    excludedFailures: {},
    proposals: [],
    unsolved: [],
    seconds: 1,
    tokens: 0,
    ...change,
  });
const unsolved = { action: 'make', errorClass: 'exit-2', agents: 3, executions: 4, failures: 5 };
const totals = { proposals: 0, notProposed: 0, unsolved: 70, problems: 0, candidates: 0 };

describe('what a cycle did not propose', () => {
  it('is counted by reason in the unit of the cycle, without zeros', () => {
    expect(leftOut(report({}))).toEqual([]);
    const left = report({ belowThreshold: 8, passing: 2, support: { unit: 'sessions', needed: 3 } });
    expect(leftOut(left)).toEqual([
      { n: 8, says: 'seen in fewer than 3 tasks' },
      { n: 2, says: 'overcome by repeating the call' },
    ]);
    expect(leftOut(report({ belowThreshold: 1 }))).toEqual([{ n: 1, says: 'seen by fewer than 3 agents' }]);
  });

  it('counts all unsolved problems, also in a list that has only the first of them', () => {
    expect(leftOut(report({ unsolved: [unsolved], totals }))).toEqual([
      { n: 70, says: 'not overcome in any execution' },
    ]);
  });

  it('has a text for each reason, and shows one that it does not know as it is', () => {
    const reasons = CycleReport.shape.notProposed.unwrap().element.shape.because.options;
    for (const because of reasons) expect(notProposedText(because)).not.toContain('_');
    expect(notProposedText('too_few_agents', { unit: 'sessions', needed: 3 })).toBe('overcome in one task');
    expect(Object.keys(DROP_TEXTS).sort()).toEqual([...DROP_REASONS].sort());
  });
});
