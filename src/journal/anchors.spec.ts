import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { commitAnchors } from './anchors.js';
import { signPosition, verifierKey } from './checkpoint.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519').privateKey;
const KEY = verifierKey('guildbook', publicKey);
const position = (seq: number) => ({ seq, hash: String(seq).repeat(64).slice(0, 64) });

/** The message of a commit that names an entry, as git prints it. */
const commit = (seq: number, signer: typeof privateKey | null = privateKey): string =>
  [
    `Publish skill-${seq} v1`,
    '',
    `Guildbook-Journal: ${seq}:${position(seq).hash}`,
    ...(signer ? [`Guildbook-Journal-Signature: ${signPosition(KEY, position(seq), signer)}`] : []),
    '',
  ].join('\n');
const read = (...commits: string[]) => commitAnchors(commits.join('\n'), KEY);

describe('commitAnchors', () => {
  it('reads entries with their signatures; those before the first signature have none', () => {
    const { anchors, ...rest } = read(commit(9), commit(7), commit(3, null));
    expect(anchors).toMatchObject([position(9), position(7), position(3)]);
    expect(rest).toEqual({ unsigned: 1, forged: undefined });
    expect(read(commit(9, null), commit(3, null))).toMatchObject({ unsigned: 2, forged: undefined });
  });

  it('reports an entry with a foreign signature, or without one although an earlier entry has one', () => {
    expect(read(commit(9), commit(7, stranger)).forged).toMatchObject({
      seq: 7,
      reason: expect.stringContaining("not the journal's"),
    });
    expect(read(commit(9, null), commit(7)).forged).toMatchObject({
      seq: 9,
      reason: expect.stringContaining('without a signature'),
    });
    expect(read(commit(9, stranger), commit(8, null), commit(7)).forged).toMatchObject({ seq: 8 });
  });
});
