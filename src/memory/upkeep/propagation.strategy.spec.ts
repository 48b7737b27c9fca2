import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shuffled } from '../../../test/support/kept-lessons.js';
import { type AgentMembership, MAX_TARGETS, propagatedFrom, propagationStrategy } from './propagation.strategy.js';

const group = fc.constantFrom('red', 'blue', null);
const anyFleet: fc.Arbitrary<AgentMembership[]> = fc.uniqueArray(
  fc.record({ id: fc.uuid(), role: group, department: group }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 40 },
);

describe.each(['none', 'role', 'department'] as const)('the propagation strategy %s', (type) => {
  const strategy = propagationStrategy(type);
  const targets = (fleet: readonly AgentMembership[], source: AgentMembership) => strategy.targets(source, fleet);
  const first = ([agent]: readonly AgentMembership[]): AgentMembership =>
    agent ?? { id: 'unknown', role: null, department: null };

  it('has its type', () => {
    expect(strategy.type).toBe(type);
  });

  it('never names the source, names no agent twice, and names at most ten', () => {
    fc.assert(
      fc.property(anyFleet, (fleet) => {
        const ids = targets(fleet, first(fleet));
        expect(ids).not.toContain(first(fleet).id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.length).toBeLessThanOrEqual(MAX_TARGETS);
        expect(fleet.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
      }),
    );
  });

  it('does not depend on the order of the agents', () => {
    fc.assert(
      fc.property(anyFleet.chain(shuffled), ([fleet, other]) => {
        expect(targets(other, first(fleet))).toEqual(targets(fleet, first(fleet)));
      }),
    );
  });

  it('names no agent if the source has no peers', () => {
    const alone = { id: 'alone', role: null, department: null };
    fc.assert(fc.property(anyFleet, (fleet) => expect(targets([...fleet, alone], alone)).toEqual([])));
  });
});

describe.each(['role', 'department'] as const)('propagation by %s', (type) => {
  it('names up to ten agents of the same group', () => {
    fc.assert(
      fc.property(anyFleet, (fleet) => {
        const [source] = fleet;
        if (!source || source[type] === null) return;
        const peers = fleet.filter((agent) => agent !== source && agent[type] === source[type]).map(({ id }) => id);
        const ids = propagationStrategy(type).targets(source, fleet);
        expect(peers).toEqual(expect.arrayContaining(ids));
        expect(ids).toHaveLength(Math.min(peers.length, MAX_TARGETS));
      }),
    );
  });
});

describe('no propagation', () => {
  it('names no agent', () => {
    fc.assert(
      fc.property(anyFleet, (fleet) => {
        for (const agent of fleet) expect(propagationStrategy('none').targets(agent, fleet)).toEqual([]);
      }),
    );
  });
});

describe('the tag of a copy', () => {
  it('contains the id of the source agent', () => {
    expect(propagatedFrom('4711')).toBe('propagated:4711');
  });
});
