import { describe, expect, it } from '@jest/globals';
import { Ledger } from '../support/ledger.js';
import { PatternEvidence } from '../support/pattern-evidence.js';
import type { Family } from './candidate.js';
import { rankFamilies } from './family-rank.js';

function family(name: string, executions: number, agents: number, project?: string): Family {
  const evidence = new PatternEvidence(new Ledger());
  Object.defineProperty(evidence, 'agents', { value: agents });
  for (let n = 0; n < executions; n += 1) evidence.executionIds.set(n, 1);
  return {
    fingerprint: name,
    signature: name,
    templates: new Set([name]),
    fingerprints: [],
    tools: [],
    actions: [],
    errorClasses: [],
    evidence,
    ...(project === undefined ? {} : { project }),
  };
}

const names = (families: readonly Family[]): string[] => families.map(({ fingerprint }) => fingerprint);

describe('the families of a cycle', () => {
  it('are ranked by executions and the square root of the agents', () => {
    const ranked = rankFamilies([family('one agent', 10, 1), family('four agents', 6, 4), family('tie', 10, 1)]);
    expect(names(ranked)).toEqual(['four agents', 'one agent', 'tie']);
  });

  it('have two places for families of a single project', () => {
    const common = [9, 8, 7, 6].map((executions) => family(`common ${executions}`, executions, 4));
    const own = [3, 2, 1].map((executions) => family(`own ${executions}`, executions, 1, 'shop'));
    expect(names(rankFamilies([...own, ...common], 4))).toEqual(['common 9', 'common 8', 'own 3', 'own 2']);
    expect(names(rankFamilies(common, 2))).toEqual(['common 9', 'common 8']);
  });
});
