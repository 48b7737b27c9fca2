import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shuffled } from '../../../test/support/kept-lessons.js';
import { type AgentMembership, MAX_TARGETS, propagatedFrom, propagationStrategy } from './propagation.strategy.js';

const group = fc.constantFrom('red', 'blue', null);
const anyFleet: fc.Arbitrary<AgentMembership[]> = fc.uniqueArray(
  fc.record({ id: fc.uuid(), role: group, department: group }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 40 },
);

describe.each(['none', 'role', 'department'] as const)('the propagation strategy %s, like every strategy,', (type) => {
  const strategy = propagationStrategy(type);
  const targets = (fleet: readonly AgentMembership[], source: AgentMembership) => strategy.targets(source, fleet);
  const first = ([agent]: readonly AgentMembership[]): AgentMembership =>
    agent ?? { id: 'nobody', role: null, department: null };

  it('says what it is', () => {
    expect(strategy.type).toBe(type);
  });

  it('leaves the source out, names nobody twice, and ten at most', () => {
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

  it('names the same ones in whatever order the fleet comes', () => {
    fc.assert(
      fc.property(anyFleet.chain(shuffled), ([fleet, other]) => {
        expect(targets(other, first(fleet))).toEqual(targets(fleet, first(fleet)));
      }),
    );
  });

  it('names nobody for an agent that stands alone', () => {
    const alone = { id: 'alone', role: null, department: null };
    fc.assert(fc.property(anyFleet, (fleet) => expect(targets([...fleet, alone], alone)).toEqual([])));
  });
});

describe.each(['role', 'department'] as const)('by %s', (type) => {
  it('the peers are all of the same, up to ten', () => {
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

describe('none', () => {
  it('copies to nobody', () => {
    fc.assert(
      fc.property(anyFleet, (fleet) => {
        for (const agent of fleet) expect(propagationStrategy('none').targets(agent, fleet)).toEqual([]);
      }),
    );
  });
});

describe('the tag of a copy', () => {
  it('names the agent that it comes from', () => {
    expect(propagatedFrom('4711')).toBe('propagated:4711');
  });
});
