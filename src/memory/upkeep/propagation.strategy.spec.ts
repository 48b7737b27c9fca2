import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shuffled } from '../../../test/support/kept-lessons.js';
import { type AgentMembership, inTurn, propagatedFrom, propagationStrategy } from './propagation.strategy.js';

const group = fc.constantFrom('red', 'blue', null);
const anyFleet: fc.Arbitrary<AgentMembership[]> = fc.uniqueArray(
  fc.record({ id: fc.uuid(), role: group, department: group }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 40 },
);

describe.each(['none', 'role', 'department'] as const)('the propagation strategy %s', (type) => {
  const strategy = propagationStrategy(type);
  const peers = (fleet: readonly AgentMembership[], source: AgentMembership) => strategy.peers(source, fleet);
  const first = ([agent]: readonly AgentMembership[]): AgentMembership =>
    agent ?? { id: 'unknown', role: null, department: null };

  it('has its type', () => {
    expect(strategy.type).toBe(type);
  });

  it('never names the source, and names no agent twice', () => {
    fc.assert(
      fc.property(anyFleet, (fleet) => {
        const ids = peers(fleet, first(fleet));
        expect(ids).not.toContain(first(fleet).id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(fleet.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
      }),
    );
  });

  it('does not depend on the order of the agents', () => {
    fc.assert(
      fc.property(anyFleet.chain(shuffled), ([fleet, other]) => {
        expect(peers(other, first(fleet))).toEqual(peers(fleet, first(fleet)));
      }),
    );
  });

  it('names no agent if the source has no peers', () => {
    const alone = { id: 'alone', role: null, department: null };
    fc.assert(fc.property(anyFleet, (fleet) => expect(peers([...fleet, alone], alone)).toEqual([])));
  });
});

describe.each(['role', 'department'] as const)('propagation by %s', (type) => {
  it('names all agents of the same group', () => {
    fc.assert(
      fc.property(anyFleet, (fleet) => {
        const [source] = fleet;
        if (!source || source[type] === null) return;
        const others = fleet.filter((agent) => agent !== source && agent[type] === source[type]).map(({ id }) => id);
        expect(propagationStrategy(type).peers(source, fleet)).toEqual(others.sort());
      }),
    );
  });
});

describe('no propagation', () => {
  it('names no agent', () => {
    fc.assert(
      fc.property(anyFleet, (fleet) => {
        for (const agent of fleet) expect(propagationStrategy('none').peers(agent, fleet)).toEqual([]);
      }),
    );
  });
});

describe('the order of the peers for a lesson', () => {
  const peers = Array.from({ length: 30 }, (_, n) => `agent ${n}`);

  it('is the same for any order of the peers, and names each once', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.constant(peers).chain(shuffled), (lesson, [some, other]) => {
        expect(inTurn(lesson, other)).toEqual(inTurn(lesson, some));
        expect([...inTurn(lesson, some)].sort()).toEqual([...peers].sort());
      }),
    );
  });

  it('stays as it is for the others if a peer joins', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (lesson, joined) => {
        expect(inTurn(lesson, [...peers, joined]).filter((id) => id !== joined)).toEqual(inTurn(lesson, peers));
      }),
    );
  });

  it('gives each peer its share of the first places, so that none is always left out', () => {
    const received = new Map(peers.map((id) => [id, 0]));
    for (let lesson = 0; lesson < 600; lesson++)
      for (const id of inTurn(`lesson ${lesson}`, peers).slice(0, 10)) received.set(id, (received.get(id) ?? 0) + 1);
    // 200 of 600 each, if the places were equal.
    expect(Math.min(...received.values())).toBeGreaterThan(150);
    expect(Math.max(...received.values())).toBeLessThan(250);
  });
});

describe('the tag of a copy', () => {
  it('contains the id of the source agent', () => {
    expect(propagatedFrom('4711')).toBe('propagated:4711');
  });
});
