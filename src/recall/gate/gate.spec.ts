import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { gateVerdict } from './gate.js';

const ground = (
  root: string,
  id: string,
  provenance: 'verified' | 'unverified' | null = 'verified',
  ended = false,
) => ({
  root,
  id,
  provenance,
  ended,
});
const judge = (
  grounds: readonly ReturnType<typeof ground>[],
  effect: 'reads' | 'changes' = 'changes',
  complete = true,
  authorised = ['a', 'b', 'c'],
) => gateVerdict(['a'], new Set(['a']), grounds, new Set(authorised), effect, complete);

describe('the action gate', () => {
  it('allows a verified memory for any call, and an unverified one only for a reading call', () => {
    expect(judge([ground('a', 'a')])).toEqual({ allowed: true, reasons: [] });
    expect(judge([ground('a', 'a', 'unverified')])).toEqual({
      allowed: false,
      reasons: [{ memory: 'a', because: 'unverified' }],
    });
    expect(judge([ground('a', 'a', 'unverified')], 'reads').allowed).toBe(true);
  });

  it('treats a verified conclusion like its unverified or missing sources', () => {
    const rests = { allowed: false, reasons: [{ memory: 'a', because: 'derived_from_unverified' }] };
    expect(judge([ground('a', 'a'), ground('a', 'b'), ground('a', 'c', 'unverified')])).toEqual(rests);
    expect(judge([ground('a', 'a'), ground('a', 'b', 'verified', true)])).toEqual(rests);
    expect(judge([ground('a', 'a'), ground('a', 'b', null, true)])).toEqual(rests);
  });

  it('denies a verified memory if neither a person nor two owners stand for it and for each source', () => {
    const lacks = { allowed: false, reasons: [{ memory: 'a', because: 'insufficient_evidence' }] };
    expect(judge([ground('a', 'a')], 'changes', true, [])).toEqual(lacks);
    expect(judge([ground('a', 'a'), ground('a', 'b')], 'changes', true, ['a'])).toEqual(lacks);
    expect(judge([ground('a', 'a')], 'reads', true, []).allowed).toBe(true);
  });

  it('denies unknown memories, also for a reading call', () => {
    for (const effect of ['reads', 'changes'] as const) {
      expect(judge([ground('a', 'a', null, true)], effect).reasons).toEqual([{ memory: 'a', because: 'unknown' }]);
      expect(gateVerdict(['a'], new Set(), [ground('a', 'a')], new Set('a'), effect, true).reasons).toEqual([
        { memory: 'a', because: 'unknown' },
      ]);
    }
  });

  it('denies a memory with more sources than were read', () => {
    expect(judge([ground('a', 'a')], 'changes', false).reasons).toEqual([{ memory: 'a', because: 'too_many_sources' }]);
  });

  it('allows a call that changes something only if every memory and every source of it is verified, live and stood for', () => {
    const one = fc.record({
      root: fc.constantFrom('a', 'b', 'c'),
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      provenance: fc.constantFrom('verified' as const, 'unverified' as const, null),
      ended: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(one),
        fc.array(fc.constantFrom('a', 'b', 'c')),
        fc.subarray(['a', 'b', 'c', 'd']),
        (grounds, memories, stood) => {
          const authorised = new Set(stood);
          const { allowed } = gateVerdict(memories, new Set(['a', 'b']), grounds, authorised, 'changes', true);
          const good = memories.every(
            (memory) =>
              memory !== 'c' &&
              grounds.some(({ root, id }) => root === memory && id === memory) &&
              grounds.every(
                (g) => g.root !== memory || (g.provenance === 'verified' && !g.ended && authorised.has(g.id)),
              ),
          );
          expect(allowed).toBe(good);
        },
      ),
    );
  });
});
