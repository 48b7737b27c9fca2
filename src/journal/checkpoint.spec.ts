import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  checkpointText,
  isPositionSignedBy,
  isSignedBy,
  readCheckpoint,
  signCheckpoint,
  signPosition,
  verifierKey,
} from './checkpoint.js';

const CHECKPOINT = {
  origin: 'guildbook.example.org/journal',
  size: 1_234,
  root: 'ab'.repeat(32),
  chain: 'cd'.repeat(32),
};
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const KEY = verifierKey(CHECKPOINT.origin, publicKey);
const NOTE = signCheckpoint(CHECKPOINT, privateKey);

describe('a checkpoint', () => {
  it('is parsed as it was signed, and is signed by its key', () => {
    expect(readCheckpoint(NOTE)).toEqual(CHECKPOINT);
    expect(isSignedBy(NOTE, KEY)).toBe(true);
    expect(NOTE.startsWith(`${checkpointText(CHECKPOINT)}\n— ${CHECKPOINT.origin} `)).toBe(true);
  });

  it('has the form of the published example', () => {
    // The key and the signed text of the example in the documentation of golang.org/x/mod/sumdb/note.
    const key = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
    const note =
      "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n" +
      '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
    expect(isSignedBy(note, key)).toBe(true);
    expect(readCheckpoint(note)).toBeUndefined();
  });

  it('has no valid signature after any byte was changed', () => {
    for (let at = 0; at < NOTE.length - 1; at += 1) {
      const other = NOTE[at] === 'A' ? 'B' : 'A';
      const changed = NOTE.slice(0, at) + other + NOTE.slice(at + 1);
      expect([at, isSignedBy(changed, KEY)]).toEqual([at, false]);
    }
  });

  it('is not signed by another key, by the same key under another name, or by a malformed key', () => {
    const other = generateKeyPairSync('ed25519').publicKey;
    expect(isSignedBy(NOTE, verifierKey(CHECKPOINT.origin, other))).toBe(false);
    expect(isSignedBy(NOTE, verifierKey('another.server', publicKey))).toBe(false);
    const [name, hash, bytes = ''] = KEY.split('+');
    for (const none of ['', 'x', `${name}+${hash}`, `${name}+00000000+${bytes}`, `${name}+${hash}+AAAA`, `${KEY}+x`])
      expect([none, isSignedBy(NOTE, none)]).toEqual([none, false]);
  });

  it.each([
    ['is empty', ''],
    ['has no signature', checkpointText(CHECKPOINT)],
    ['has a size with a leading zero', NOTE.replace('1234', '01234')],
    ['has a negative size', NOTE.replace('1234', '-1234')],
    ['has no chain hash', NOTE.replace(/chain .*\n/, '')],
    ['says more', NOTE.replace('\n\n', '\nmore\n\n')],
  ])('is invalid if it %s', (_what, note) => {
    expect(readCheckpoint(note)).toBeUndefined();
  });
});

describe('the signature of an entry in a commit', () => {
  const position = { seq: 17, hash: 'ef'.repeat(32) };
  const signature = signPosition(KEY, position, privateKey);

  it('is deterministic, so that a replay makes the same commit, and is valid for that entry only', () => {
    expect(signPosition(KEY, position, privateKey)).toBe(signature);
    expect(isPositionSignedBy(position, signature, KEY)).toBe(true);
    for (const other of [
      { ...position, seq: 18 },
      { ...position, hash: 'ee'.repeat(32) },
    ])
      expect(isPositionSignedBy(other, signature, KEY)).toBe(false);
    expect(isPositionSignedBy(position, signature, verifierKey('another.server', publicKey))).toBe(false);
    expect(isPositionSignedBy(position, `${signature.slice(0, -1)}A`, KEY)).toBe(false);
  });
});
