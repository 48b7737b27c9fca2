import { describe, expect, it } from '@jest/globals';
import { Counts } from '../evidence/counts.js';
import type { TrialCount } from '../evidence/pattern-evidence.js';
import { balancedTries, hasOwners, type OwnerRule } from './owner-rule.js';

/** Tries by agent: how many, and how many of them worked. */
function trial(tries: Record<number, readonly [number, number]>): TrialCount {
  const [agents, successAgents] = [new Counts(), new Counts()];
  for (const [agent, [n, worked]] of Object.entries(tries)) {
    agents.increment(Number(agent), n);
    if (worked > 0) successAgents.increment(Number(agent), worked);
  }
  const sum = (at: 0 | 1): number => Object.values(tries).reduce((total, one) => total + one[at], 0);
  const key = { how: 'replace', coarse: 'x', fine: 'x' } as const;
  return { ...key, tries: sum(0), successes: sum(1), verified: 0, agents, successAgents };
}

/** Agents 0 to 9 belong to Ann, 10 to 19 to Ben, 20 to 29 to Cem. */
const rule = (minOwners: number): OwnerRule => ({
  minOwners,
  ownerOf: (agent) => ['Ann', 'Ben', 'Cem'][Math.floor(agent / 10)] ?? '',
});

describe('the owners of a remedy', () => {
  it('a remedy that worked for the agents of one owner has one owner', () => {
    const ofAnn = trial({ 1: [9, 9], 2: [9, 9], 11: [3, 0] });
    expect(hasOwners([ofAnn], rule(1))).toBe(true);
    expect(hasOwners([ofAnn], rule(2))).toBe(false);
    expect(hasOwners([ofAnn, trial({ 12: [1, 1] })], rule(2))).toBe(true);
    expect(hasOwners([ofAnn, trial({ 12: [1, 1] })], rule(3))).toBe(false);
  });

  it('a thousand tries of one owner count as many as those of all others together', () => {
    const chosen = [trial({ 1: [600, 600], 2: [400, 400] }), trial({ 11: [6, 2], 21: [4, 0] })];
    expect(balancedTries(chosen, [], rule(1))?.chosen).toMatchObject({ successes: 12, n: 20 });
  });

  it('nothing changes where no owner outweighs the others, or where there is one owner', () => {
    expect(balancedTries([trial({ 1: [3, 3], 11: [3, 3] })], [trial({ 1: [1, 0] })], rule(1))).toBeUndefined();
    expect(balancedTries([trial({ 1: [90, 90], 2: [9, 9] })], [], rule(1))).toBeUndefined();
    expect(balancedTries([trial({ 1: [3, 3], 11: [1, 1] })], [], rule(1))).toBeUndefined();
  });
});
