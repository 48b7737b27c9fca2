import { describe, expect, it } from '@jest/globals';
import { contradictionStatus, mayHaveRivals, type Rival } from './contradiction.js';

const LIVE = { id: 'entry', skillName: 'the-other' };
const rival = (more: Partial<Rival> = {}): Rival => ({
  ...{ id: 'rival', state: 'pending', fingerprints: ['theirs'], isByPerson: false, live: null },
  ...more,
});
const proposal = (
  more: Partial<Parameters<typeof contradictionStatus>[0]> = {},
): Parameters<typeof contradictionStatus>[0] => ({
  ...{ kind: 'conflict', fingerprint: 'own', supersedesId: null },
  ...more,
});

describe('what becomes of an item when what it contradicts was decided', () => {
  it('nothing, while one of them waits', () => {
    expect(contradictionStatus(proposal(), [rival({ state: 'rejected' }), rival()])).toEqual({ as: 'unchanged' });
    expect(contradictionStatus(proposal(), [])).toEqual({ as: 'unchanged' });
  });

  it('it is measured against what was approved, unless it is already', () => {
    const approved = [rival(), rival({ state: 'approved', live: LIVE })];
    expect(contradictionStatus(proposal(), approved)).toEqual({ as: 'contradicts_live', live: LIVE });
    expect(contradictionStatus(proposal({ kind: 'supersede', supersedesId: 'another' }), approved)).toMatchObject({
      as: 'contradicts_live',
    });
    expect(contradictionStatus(proposal({ supersedesId: LIVE.id }), approved)).toEqual({ as: 'unchanged' });
  });

  it('it stands alone when nothing of it waits or is live', () => {
    const gone = [rival({ state: 'rejected' }), rival({ state: 'approved' }), rival({ state: 'expired' })];
    expect(contradictionStatus(proposal(), gone)).toEqual({ as: 'uncontested' });
    // what it contradicts besides is live
    expect(contradictionStatus(proposal({ supersedesId: 'another' }), gone)).toEqual({ as: 'unchanged' });
    expect(contradictionStatus(proposal({ kind: 'new_skill' }), gone)).toEqual({ as: 'unchanged' });
  });

  it('it is told in what a person wrote for both, and not in what merely answers to its pattern', () => {
    const both = { state: 'approved' as const, live: LIVE, fingerprints: ['theirs', 'own'] };
    expect(contradictionStatus(proposal(), [rival({ ...both, isByPerson: true })])).toEqual({
      as: 'subsumed',
      by: 'rival',
    });
    expect(contradictionStatus(proposal(), [rival(both)])).toMatchObject({ as: 'contradicts_live' });
  });
});

it('a new skill that nobody reworded contradicts nothing, so that no decision on one asks', () => {
  expect(mayHaveRivals({ kind: 'new_skill', editorId: null })).toBe(false);
  expect(mayHaveRivals({ kind: 'retire', editorId: null })).toBe(false);
  expect(mayHaveRivals({ kind: 'new_skill', editorId: 'a person' })).toBe(true);
  expect(mayHaveRivals({ kind: 'conflict', editorId: null })).toBe(true);
});
