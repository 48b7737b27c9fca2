import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareClaims } from '../../../test/support/claims.js';
import { applicabilityText } from './applicability.js';
import { ClaimSet } from './claim-set.js';
import { type Claim, isSubsumedBy, parseClaim } from './supersession.js';

const anyClaim: fc.Arbitrary<Claim> = fc
  .record({
    condition: words('deploy', 'fails', 'query', 'timeout', 'not', 'build', 'or', 'staging'),
    action: words('restart', 'service', 'never', 'clear', 'retry', '3', '5'),
    confidence: fc.constantFrom(0.6, 0.9),
    // Absent in about a third of the claims.
    applicability: fc.constantFrom('build', 'deploy', undefined),
  })
  .map(({ applicability, ...claim }) => (applicability === undefined ? claim : { ...claim, applicability }));

function words(...from: string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...from), { minLength: 1, maxLength: 8 }).map((all) => all.join(' '));
}

describe('the set of claims', () => {
  it('finds exactly what a comparison with every entry finds', () => {
    fc.assert(
      fc.property(fc.array(anyClaim, { maxLength: 20 }), anyClaim, (entries, candidate) => {
        const claims = new ClaimSet();
        entries.forEach((entry, i) => {
          claims.add(`e${i}`, entry);
        });
        const all = entries
          .map((entry, i) => ({ id: `e${i}`, verdict: compareClaims(candidate, entry) }))
          .filter((finding) => finding.verdict !== 'PARTIAL');
        expect(new Set(claims.compare(candidate).map((f) => `${f.id} ${f.verdict}`))).toEqual(
          new Set(all.map((f) => `${f.id} ${f.verdict}`)),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('loses no result for longer conditions, other scripts and hidden negations', () => {
    const phrase = words(
      ...[
        'when',
        'the',
        'nightly',
        'python3',
        'backup',
        'ends',
        'before',
        'unstable',
        "doesn't",
        'v1',
        'v2',
        '7 times',
      ],
      ...[
        '脚本失败时',
        '不要重启',
        'テストが',
        '失敗した',
        'または',
        'или',
        'тест',
        'and',
        'timed out',
        '--no-cache',
        'rather than',
      ],
    );
    const applicability = fc.constantFrom(
      undefined,
      applicabilityText('shell', 'python', '*'),
      applicabilityText('shell', 'python', 'SyntaxError'),
      applicabilityText('shell', 'python -m pytest', 'SyntaxError'),
      applicabilityText('shell', 'python', 'ImportError', { tool: 'shell', name: 'missing-module' }),
      applicabilityText('shell', 'node', 'MODULE_NOT_FOUND', { tool: 'shell', name: 'missing-module' }),
      applicabilityText('shell', '*', 'missing-module'),
      applicabilityText('files', '*', 'missing-module'),
      applicabilityText('shell', 'make', 'SyntaxError'),
      'of another kind',
    );
    const claim = fc
      .record({ condition: phrase, action: phrase, confidence: fc.constantFrom(0.6, 0.9), applicability })
      .map(({ applicability: where, ...rest }) => ({
        ...rest,
        ...(where === undefined ? {} : { applicability: where }),
      }));
    fc.assert(
      fc.property(fc.array(claim, { maxLength: 20 }), claim, (entries, candidate) => {
        const claims = new ClaimSet();
        for (const [i, entry] of entries.entries()) claims.add(`e${i}`, entry);
        const all = entries.map((entry, i) => ({ id: `e${i}`, verdict: compareClaims(candidate, entry) }));
        const named = (findings: readonly { id: string; verdict: string }[]) =>
          findings.map((f) => `${f.id} ${f.verdict}`).sort();
        expect(named(claims.compare(candidate))).toEqual(named(all.filter((finding) => finding.verdict !== 'PARTIAL')));
        const telling = entries.flatMap((entry, i) =>
          isSubsumedBy(parseClaim(candidate), parseClaim(entry)) ? [`e${i}`] : [],
        );
        expect(claims.subsumingIds(candidate).sort()).toEqual(telling.sort());
      }),
      { numRuns: 1_000 },
    );
  });

  it('replaces a claim that is added again under its id', () => {
    const claims = new ClaimSet();
    claims.add('one', { condition: 'When the deploy fails', action: 'Restart the service', confidence: 0.5 });
    claims.add('one', { condition: 'When the build is slow', action: 'Clear the cache', confidence: 0.5 });
    const candidate = { condition: 'When the deploy fails', action: 'Never restart the service', confidence: 0.9 };
    expect(claims.compare(candidate)).toEqual([]);
  });

  it('compares nothing with a removed claim, which can be added again', () => {
    const claims = new ClaimSet();
    const entry = {
      condition: 'When the deploy fails',
      action: 'Restart the service',
      confidence: 0.5,
      applicability: 'one',
    };
    const candidate = { ...entry, action: 'Never restart the service', confidence: 0.9 };
    claims.add('one', entry);
    claims.remove('one');
    claims.remove('unknown');
    expect([claims.compare(candidate), claims.subsumingIds(entry)]).toEqual([[], []]);
    claims.add('one', entry);
    expect(claims.compare(candidate)).toEqual([{ id: 'one', verdict: 'CONFLICT' }]);
    expect(claims.subsumingIds(entry)).toEqual(['one']);
  });

  it('returns conflicts before supersessions', () => {
    const claims = new ClaimSet();
    claims.add('same', { condition: 'When the deploy fails', action: 'Restart the service', confidence: 0.5 });
    claims.add('opposite', {
      condition: 'When the deploy fails',
      action: 'Never restart the service',
      confidence: 0.5,
    });
    const found = claims.compare({
      condition: 'When the deploy fails',
      action: 'Restart the service',
      confidence: 0.9,
    });
    expect(found).toEqual([
      { id: 'opposite', verdict: 'CONFLICT' },
      { id: 'same', verdict: 'FULL' },
    ]);
  });

  it('finds an entry on the same failing action without a common word', () => {
    const claims = new ClaimSet();
    claims.add('zh', {
      condition: '脚本失败时',
      action: '不要使用它',
      confidence: 0.9,
      applicability: 'python SyntaxError',
    });
    const candidate = { condition: 'Running a script', action: 'Use python3', confidence: 0.9 };
    expect(claims.compare(candidate)).toEqual([]);
    expect(claims.compare({ ...candidate, applicability: 'python SyntaxError' })).toEqual([
      { id: 'zh', verdict: 'CONFLICT' },
    ]);
  });

  it('asks for the meaning of an action only where ten thousand conditions are near', () => {
    const claims = new ClaimSet();
    for (let i = 0; i < 10_000; i++) {
      claims.add(`e${i}`, {
        condition: `When tool${i} fails on host${i % 97}`,
        action: `Use tool${i + 1}`,
        confidence: 0.8,
      });
    }
    const candidate = { condition: 'When tool5000 fails on host53', action: 'Never use tool5001', confidence: 0.9 };
    let compared = 0;
    const semantic = (text: string): number => {
      if (text === candidate.action) compared += 1;
      return 0;
    };
    expect(claims.compare(candidate, { semantic })).toEqual([{ id: 'e5000', verdict: 'CONFLICT' }]);
    // About one entry in a hundred is on the same host.
    expect(compared).toBeLessThan(500);
  });
});
