import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ExecutionObservations } from '../../capture/observations/observation.js';
import { ExecutionIds, Ledger } from './ledger.js';

const execution = (executionId: string, agentId: string, origin: string): ExecutionObservations => ({
  executionId,
  agentName: agentId,
  model: undefined,
  support: { agentId, owner: 'owner', origin, root: executionId },
  finishedAt: '2026-03-01T10:00:00Z',
  checks: [],
  episodes: [],
  excludedFailures: [],
  used: [],
});

describe('the ids of executions in a ledger', () => {
  it('are the ids that were added, of the server or of a measurement', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.uuid(), fc.string({ minLength: 1 })), { maxLength: 40 }), (all) => {
        const ids = new ExecutionIds();
        for (const [number, id] of all.entries()) ids.set(50 * number, id);
        for (const [number, id] of all.entries()) expect(ids.get(50 * number)).toBe(id);
      }),
    );
  });

  it('are sampled by different origins and agents first, in the same order however they were added', () => {
    const many = Array.from({ length: 40 }, (_, n) => execution(`many-${n}`, 'agent', 'one origin'));
    const few = ['a', 'b', 'c'].map((name) => execution(name, name, name));
    const sample = (all: readonly ExecutionObservations[]): string[] => {
      const ledger = new Ledger();
      return ledger.sampleOf(
        all.flatMap((one) => ledger.add(one) ?? []),
        5,
      );
    };
    const found = sample([...many, ...few]);
    expect(found).toHaveLength(5);
    expect(found).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    expect(sample([...few, ...many].reverse())).toEqual(found);
  });
});
