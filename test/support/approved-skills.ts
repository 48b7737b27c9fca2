import type { ApprovedSkill } from '../../src/consolidate/same-lesson.js';

/** A skill of the rules with its predicate; only `changes` differ. */
export function testSkill(changes: Partial<ApprovedSkill>): ApprovedSkill {
  return {
    memoryId: changes.skillName ?? 'id',
    skillName: 'use-python3',
    version: 1,
    title: 'Use `python3`',
    fingerprints: ['sha256:family'],
    applicability: '["shell","python","SyntaxError"]',
    condition: 'About to run `python <file>.py`, or it has just failed, for example with "SyntaxError".',
    action: 'Run `python3` instead of `python`.',
    steps: ['Run `python3`.'],
    predicate: {
      when: { tool: 'shell', ok: false, action: 'python' },
      follow: { action: 'python3', sameAction: true },
    },
    isGate: false,
    isByRules: true,
    audience: [],
    isConfirmed: true,
    agents: 4,
    executions: 8,
    ...changes,
  };
}
