import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Support } from '../../capture/observations/observation.js';
import { independentOwners, independentSupport, maximumMatching } from './distinct-agents.js';

let serial = 0;
function support(agentId: string, origin: string, more: Partial<Support> = {}): Support {
  serial += 1;
  return { agentId, owner: 'owner-1', origin, root: `execution-${serial}`, ...more };
}

const anySupport = fc.record({
  agentId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  owner: fc.constantFrom('o1', 'o2'),
  origin: fc.constantFrom('t1', 't2', 't3', 't4', 't5'),
  root: fc.constantFrom('r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7'),
});

/** Numbers in the order in which they are first seen, as the ledger gives them. */
function numbered(names: readonly string[]): Int32Array {
  const known = new Map<string, number>();
  return Int32Array.from(names, (name) => {
    const number = known.get(name) ?? known.size;
    known.set(name, number);
    return number;
  });
}

function supportCounts(supports: readonly Support[]) {
  const [owners, origins] = [supports.map(({ owner }) => owner), supports.map(({ origin }) => origin)];
  const agent = numbered(supports.map(({ agentId }) => agentId));
  return {
    ...independentSupport({ agent, origin: numbered(origins), root: numbered(supports.map(({ root }) => root)) }),
    owners: new Set(owners).size,
    tasks: new Set(origins).size,
    independentOwners: independentOwners(owners, origins),
  };
}

const distinctAgents = (supports: readonly Support[]): number => supportCounts(supports).distinctAgents;

/** The smallest of the three whole matchings, without any short cut. */
function smallestMatching(supports: readonly Support[]): number {
  const pairs = [
    ['agentId', 'origin'],
    ['agentId', 'root'],
    ['origin', 'root'],
  ] as const;
  return Math.min(
    ...pairs.map(([left, right]) => {
      const edges = new Map<string, Set<string>>();
      for (const one of supports) edges.set(one[left], (edges.get(one[left]) ?? new Set()).add(one[right]));
      return maximumMatching(edges);
    }),
  );
}

/** Tries every subset: slow, but obviously correct. */
function bruteForce(edges: [string, string][]): number {
  const [first, ...rest] = edges;
  if (!first) return 0;
  const [left, right] = first;
  const without = bruteForce(rest);
  const taken = 1 + bruteForce(rest.filter(([l, r]) => l !== left && r !== right));
  return Math.max(without, taken);
}

describe('distinct agents on independent tasks', () => {
  it('three agents on three tasks are three', () => {
    expect(distinctAgents([support('a', 't1'), support('b', 't2'), support('c', 't3')])).toBe(3);
  });

  it('one agent that reports fifty times is one', () => {
    expect(distinctAgents(Array.from({ length: 50 }, (_, i) => support('a', `t${i}`)))).toBe(1);
  });

  it('one task that three owners report is one task, one agent and one owner', () => {
    const echo = [
      support('a', 't1', { owner: 'x' }),
      support('b', 't1', { owner: 'y' }),
      support('c', 't1', { owner: 'z' }),
    ];
    expect(supportCounts(echo)).toMatchObject({ agents: 3, owners: 3, tasks: 1 });
    expect(supportCounts(echo)).toMatchObject({ distinctAgents: 1, independentOwners: 1 });
  });

  it('sub-agents of one parent are one, even with different task texts', () => {
    const family = ['a', 'b', 'c'].map((agent, i) => support(agent, `t${i}`, { root: 'parent' }));
    expect(distinctAgents(family)).toBe(1);
    expect(distinctAgents([...family, support('d', 't9')])).toBe(2);
  });

  it('counts the best assignment of agents to origins, not the first one', () => {
    // a could take t1 or t2, b only t1: a greedy assignment would find one.
    expect(distinctAgents([support('a', 't1'), support('a', 't2'), support('b', 't1')])).toBe(2);
  });

  it('returns agents, owners and tasks beside the deciding counts', () => {
    const counts = supportCounts([support('a', 't1'), support('b', 't2'), support('c', 't2')]);
    expect(counts).toEqual({ distinctAgents: 2, agents: 3, owners: 1, tasks: 2, independentOwners: 1 });
  });

  it('twenty task titles of one owner are twenty tasks of one owner', () => {
    const titles = Array.from({ length: 20 }, (_, n) => support(`agent-${n % 5}`, `title ${n}`));
    expect(supportCounts(titles)).toMatchObject({ agents: 5, owners: 1, tasks: 20, independentOwners: 1 });
    const other = support('b', 'title 21', { owner: 'owner-2' });
    expect(supportCounts([...titles, other])).toMatchObject({ owners: 2, tasks: 21, independentOwners: 2 });
    const echo = support('b', 'title 0', { owner: 'owner-2' });
    expect(supportCounts([support('a', 'title 0'), echo])).toMatchObject({ owners: 2, tasks: 1, independentOwners: 1 });
  });

  it('finds as many independent owners as a full matching of owners and origins', () => {
    const pair = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 6 }));
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 40 }), (pairs) => {
        const edges = new Map<number, Set<number>>();
        for (const [owner, origin] of pairs) edges.set(owner, (edges.get(owner) ?? new Set<number>()).add(origin));
        const [owners, origins] = [pairs.map(([owner]) => owner), pairs.map(([, origin]) => origin)];
        expect(independentOwners(owners, origins)).toBe(maximumMatching(edges));
      }),
    );
  });

  it('is never above the number of agents, of origins or of parent tasks', () => {
    fc.assert(
      fc.property(fc.array(anySupport, { maxLength: 30 }), (supports) => {
        const n = distinctAgents(supports);
        for (const key of ['agentId', 'origin', 'root'] as const) {
          expect(n).toBeLessThanOrEqual(new Set(supports.map((s) => s[key])).size);
        }
        expect(n > 0).toBe(supports.length > 0);
      }),
    );
  });

  it('does not depend on the order of the reports', () => {
    fc.assert(
      fc.property(fc.array(anySupport, { maxLength: 30 }), fc.infiniteStream(fc.nat()), (supports, keys) => {
        const shuffled = supports
          .map((s) => ({ s, key: keys.next().value }))
          .sort((x, y) => x.key - y.key)
          .map((x) => x.s);
        expect(distinctAgents(shuffled)).toBe(distinctAgents(supports));
      }),
    );
  });

  it('never falls when an execution is added', () => {
    fc.assert(
      fc.property(fc.array(anySupport, { maxLength: 30 }), anySupport, (supports, one) => {
        expect(distinctAgents([...supports, one])).toBeGreaterThanOrEqual(distinctAgents(supports));
      }),
    );
  });

  it('finds a maximum matching', () => {
    const edge = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '3', '4'));
    fc.assert(
      fc.property(fc.uniqueArray(edge, { maxLength: 9, selector: (e) => e.join() }), (edges) => {
        const map = new Map<string, Set<string>>();
        for (const [l, r] of edges) map.set(l, (map.get(l) ?? new Set<string>()).add(r));
        expect(maximumMatching(map)).toBe(bruteForce(edges));
      }),
    );
  });

  it('is the smallest matching of agents, origins and parent tasks, with any shared tasks', () => {
    fc.assert(
      fc.property(fc.array(anySupport, { maxLength: 30 }), (supports) => {
        expect(distinctAgents(supports)).toBe(smallestMatching(supports));
        expect(supportCounts(supports).agents).toBe(new Set(supports.map(({ agentId }) => agentId)).size);
      }),
      { numRuns: 3_000 },
    );
  });

  it('a long chain of agents with overlapping tasks is matched without deep recursion', () => {
    const supports: Support[] = [];
    for (let i = 0; i < 3000; i++) supports.push(support(`a${i}`, `t${i}`), support(`a${i}`, `t${i + 1}`));
    expect(distinctAgents(supports)).toBe(3000);
  });
});
