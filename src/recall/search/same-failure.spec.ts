import { describe, expect, it } from '@jest/globals';
import { memoryEntry } from '../../../test/support/memory-entries.js';
import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { byAuthority, claimsAbsence, shapeOf } from './same-failure.js';

const { lesson } = memoryEntry({});
const about = (
  id: string,
  failed: string,
  { worked, ...entry }: Partial<RecallableMemory> & { worked: string | null },
): { entry: RecallableMemory } => {
  const error = `${failed}: command not found`;
  const shell = (call: string) => ({ tool: 'shell', call });
  const example = { failed: shell(failed), error, between: [], worked: worked === null ? null : shell(worked) };
  return { entry: memoryEntry({ id, lesson: { ...lesson, example }, ...entry }) };
};
const idsOf = (ranked: readonly { entry: RecallableMemory }[]) => byAuthority(ranked).map(({ entry }) => entry.id);

const SEEN = about('seen', 'bat', { worked: 'cat' });
const VERIFIED = about('verified', 'bat', { worked: 'cat', provenance: 'verified' });
const SKILL = about('skill', 'bat', { worked: 'cat', scope: 'org', provenance: 'verified' });
const ABSENCE = about('absence', 'bat', { worked: null, provenance: 'verified' });
const OTHER = about('other', 'gls', { worked: null });
const NOTE = { entry: memoryEntry({ id: 'note' }) };

describe('memories about the same failure', () => {
  it('come as approved, then verified, then seen, on the places that they have together', () => {
    expect(idsOf([SEEN, NOTE, VERIFIED, OTHER, SKILL])).toEqual(['skill', 'note', 'verified', 'other', 'seen']);
  });

  it('leave out the claim that nothing helped beside any remedy, however high it ranks', () => {
    for (const remedy of [SEEN, VERIFIED, SKILL])
      expect(idsOf([ABSENCE, OTHER, remedy])).toEqual([remedy.entry.id, 'other']);
    expect(idsOf([ABSENCE, OTHER, NOTE])).toEqual(['absence', 'other', 'note']);
  });

  it('are known by the failed call and its error, which memories without an example do not have', () => {
    expect(shapeOf(SEEN.entry)).toBeDefined();
    expect(shapeOf(ABSENCE.entry)).toBe(shapeOf(SKILL.entry));
    expect(shapeOf(OTHER.entry)).not.toBe(shapeOf(SEEN.entry));
    expect(shapeOf(NOTE.entry)).toBeUndefined();
    expect([ABSENCE, SEEN, NOTE].map(({ entry }) => claimsAbsence(entry))).toEqual([true, false, false]);
  });

  it('are read again when the example of a lesson changes', () => {
    const before = shapeOf(about('changing', 'bat', { worked: null }).entry);
    expect(shapeOf(about('changing', 'gls', { worked: null }).entry)).not.toBe(before);
  });
});
