import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Frontier, isIncluded, leafHash, proofRanges } from './merkle.js';

const sha = fc.stringMatching(/^[0-9a-f]{64}$/);
const entries = fc.array(sha, { minLength: 1, maxLength: 70 });

const frontierOf = (hashes: readonly string[]): Frontier => {
  const frontier = Frontier.empty();
  for (const hash of hashes) frontier.append(hash);
  return frontier;
};
const pathOf = (hashes: readonly string[], index: number): string[] =>
  proofRanges(index, hashes.length).map(([from, to]) => frontierOf(hashes.slice(from, to)).root());

/** The leaves and roots with which Certificate Transparency's own implementations are tested (RFC 6962). */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

describe('the tree over the journal', () => {
  it.each(ROOTS.map((root, size) => [size, root] as const))(
    'of %i published leaves has the published root',
    (size, root) => {
      const frontier = Frontier.empty();
      for (const leaf of LEAVES.slice(0, size)) frontier.appendLeaf(leafHash(Buffer.from(leaf, 'hex')));
      expect(frontier.root()).toBe(root);
    },
  );

  it('grows from stored subtrees to the same root', () => {
    fc.assert(
      fc.property(entries, entries, (first, more) => {
        const stored = frontierOf(first);
        const resumed = Frontier.of(stored.size, stored.subtrees);
        for (const hash of more) resumed?.append(hash);
        expect(resumed?.root()).toBe(frontierOf([...first, ...more]).root());
      }),
    );
  });

  it('rejects the frontier of another size', () => {
    const { subtrees } = frontierOf(['a'.repeat(64), 'b'.repeat(64), 'c'.repeat(64)]);
    expect(Frontier.of(4, subtrees)).toBeUndefined();
  });
});

describe('a proof of inclusion', () => {
  it('is valid for every entry and has at most log₂(size) hashes', () => {
    fc.assert(
      fc.property(entries, (hashes) => {
        const root = frontierOf(hashes).root();
        hashes.forEach((hash, index) => {
          const path = pathOf(hashes, index);
          expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(hashes.length)));
          expect(isIncluded(hash, index, hashes.length, path, root)).toBe(true);
        });
      }),
    );
  });

  it('is invalid with any part changed', () => {
    const changed = fc.tuple(fc.uniqueArray(sha, { minLength: 2, maxLength: 40 }), fc.nat(), fc.nat(), sha);
    fc.assert(
      fc.property(changed, ([hashes, at, step, other]) => {
        const index = at % hashes.length;
        const size = hashes.length;
        const root = frontierOf(hashes).root();
        const path = pathOf(hashes, index);
        const hash = hashes[index] ?? '';
        fc.pre(other !== hash && other !== root && !path.includes(other));
        expect(isIncluded(other, index, size, path, root)).toBe(false);
        expect(isIncluded(hash, index, size, path, other)).toBe(false);
        expect(isIncluded(hash, index, size, path.with(step % path.length, other), root)).toBe(false);
        expect(isIncluded(hash, index, size, [...path, other], root)).toBe(false);
        expect(isIncluded(hash, index, size, [other, ...path], root)).toBe(false);
        expect(isIncluded(hash, index, size, path.slice(1), root)).toBe(false);
        for (const elsewhere of [index - 1, index + 1, index ^ 1, -1, size, 0.5, Number.NaN])
          if (elsewhere !== index) expect(isIncluded(hash, elsewhere, size, path, root)).toBe(false);
      }),
    );
  });

  it('does not exist for an entry outside the tree', () => {
    for (const [index, size] of [
      [0, 0],
      [3, 3],
      [-1, 3],
    ] as const)
      expect(() => proofRanges(index, size)).toThrow(RangeError);
  });
});
