import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { actionFingerprint, patternFingerprint } from './fingerprint.js';

const base = { tool: 'shell', action: 'python', errorClass: 'SyntaxError' };

describe('fingerprints', () => {
  it('a pattern keeps its fingerprint over releases, so that pending and rejected proposals are recognised', () => {
    expect(patternFingerprint(base)).toBe(patternFingerprint({ ...base }));
    expect(patternFingerprint(base)).toBe('sha256:f485ca40a5568cd1ffebb82f88cf57a34640ec3a2cff0c0012832200366b2063');
    expect(actionFingerprint('replace', 'python3')).toBe(
      'sha256:e784cde47ea2a1f4fc34b39153a8f407f583b62f35a0c5123962dc8cd55f83ef',
    );
  });

  it('every part of the identity changes the fingerprint', () => {
    for (const key of ['tool', 'action', 'errorClass'] as const) {
      expect(patternFingerprint({ ...base, [key]: 'other' })).not.toBe(patternFingerprint(base));
    }
  });

  it('text cannot be moved from one part to the next to forge another pattern’s fingerprint', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string({ minLength: 1 }), (tool, action, moved) => {
        const a = patternFingerprint({ ...base, tool: tool + moved, action });
        const b = patternFingerprint({ ...base, tool, action: moved + action });
        expect(a).not.toBe(b);
      }),
    );
    expect(actionFingerprint('a', 'bc')).not.toBe(actionFingerprint('ab', 'c'));
  });
});
