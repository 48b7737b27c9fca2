import { describe, expect, it } from '@jest/globals';
import { nextCheck } from './promotion-worker.service.js';

const NOW = new Date('2026-03-31T12:00:00Z');
const unresolved = (because: 'no_evidence' | 'verifier_unavailable', attempts: number) =>
  nextCheck({ verified: false, because, evidence: [] }, attempts, NOW);
const hours = ({ dueAt }: { dueAt: Date }) => (dueAt.getTime() - NOW.getTime()) / 3_600_000;

describe('a memory after a check', () => {
  it('is checked again after twice as long each time, at least once a day', () => {
    expect([0, 1, 2, 10, 1_000].map((attempts) => hours(unresolved('no_evidence', attempts)))).toEqual([
      1, 2, 4, 24, 24,
    ]);
    expect(unresolved('no_evidence', 3)).toMatchObject({ state: 'unresolved', promotedBy: null, attempts: 4 });
  });

  it('is checked again soon if only the verifier model was unavailable', () => {
    expect(hours(unresolved('verifier_unavailable', 0))).toBeCloseTo(1 / 12);
    expect(hours(unresolved('verifier_unavailable', 50))).toBe(6);
  });

  it('stays in the queue when it is verified, since later evidence may contradict it', () => {
    const verified = nextCheck({ verified: true, by: 'tool_result', evidence: [] }, 5, NOW);
    expect(verified).toMatchObject({ state: 'verified', promotedBy: 'tool_result', attempts: 0 });
    expect(hours(verified)).toBe(6);
  });
});
