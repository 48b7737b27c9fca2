import { describe, expect, it } from '@jest/globals';
import { contradictionStatus, mayHaveRivals, type Rival } from './contradiction.js';

const LIVE = { id: 'entry', skillName: 'the-other' };
const rival = (more: Partial<Rival> = {}): Rival => ({
  id: 'rival',
  state: 'pending',
  fingerprints: ['theirs'],
  isByPerson: false,
  live: null,
  ...more,
});
const proposal = (
  more: Partial<Parameters<typeof contradictionStatus>[0]> = {},
): Parameters<typeof contradictionStatus>[0] => ({
  kind: 'conflict',
  fingerprint: 'own',
  supersedesId: null,
  ...more,
});

describe('the contradiction status of a proposal', () => {
  it('is unchanged while a rival is pending', () => {
    expect(contradictionStatus(proposal(), [rival({ state: 'rejected' }), rival()])).toEqual({ as: 'unchanged' });
    expect(contradictionStatus(proposal(), [])).toEqual({ as: 'unchanged' });
  });

  it('contradicts the live skill that a rival became, unless that is already its target', () => {
    const approved = [rival(), rival({ state: 'approved', live: LIVE })];
    expect(contradictionStatus(proposal(), approved)).toEqual({ as: 'contradicts_live', live: LIVE });
    expect(contradictionStatus(proposal({ kind: 'supersede', supersedesId: 'another' }), approved)).toMatchObject({
      as: 'contradicts_live',
    });
    expect(contradictionStatus(proposal({ supersedesId: LIVE.id }), approved)).toEqual({ as: 'unchanged' });
  });

  it('is uncontested when no rival is pending or live', () => {
    const gone = [rival({ state: 'rejected' }), rival({ state: 'approved' }), rival({ state: 'expired' })];
    expect(contradictionStatus(proposal(), gone)).toEqual({ as: 'uncontested' });
    // Its other rival is live.
    expect(contradictionStatus(proposal({ supersedesId: 'another' }), gone)).toEqual({ as: 'unchanged' });
    expect(contradictionStatus(proposal({ kind: 'new_skill' }), gone)).toEqual({ as: 'unchanged' });
  });

  it('is subsumed by a skill that a person worded for both, but not by a generated one that covers its pattern', () => {
    const both = { state: 'approved' as const, live: LIVE, fingerprints: ['theirs', 'own'] };
    expect(contradictionStatus(proposal(), [rival({ ...both, isByPerson: true })])).toEqual({
      as: 'subsumed',
      by: 'rival',
    });
    expect(contradictionStatus(proposal(), [rival(both)])).toMatchObject({ as: 'contradicts_live' });
  });
});

it('a new skill that no person edited has no rivals to check', () => {
  expect(mayHaveRivals({ kind: 'new_skill', editorId: null })).toBe(false);
  expect(mayHaveRivals({ kind: 'retire', editorId: null })).toBe(false);
  expect(mayHaveRivals({ kind: 'new_skill', editorId: 'a person' })).toBe(true);
  expect(mayHaveRivals({ kind: 'conflict', editorId: null })).toBe(true);
});
