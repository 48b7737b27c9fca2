import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { ChainPosition } from './chain.js';

/**
 * A signed head of the journal in the formats C2SP tlog-checkpoint and signed-note, so that other tools can verify and
 * witness it. `root` is the root of the tree over the first `size` entries, `chain` the hash of the last of them; both
 * are 64 hex digits.
 */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  readonly chain: string;
}

/** The key that verifies a signature: `<name>+<key hash, 8 hex digits>+<base64 of the algorithm byte and the key>`. */
export type VerifierKey = string;

const ED25519 = 1;
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');
const SIGNATURE_BYTES = 64;
const NOTE = /^([^\n]{1,200})\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\nchain ([0-9a-f]{64})\n$/;
const SIGNATURE = /^— ([^\s+]{1,200}) ([A-Za-z0-9+/=]{1,200})$/;
const VERIFIER = /^([^\s+]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/=]{1,100})$/;

export function verifierKey(name: string, publicKey: KeyObject): VerifierKey {
  const bytes = Buffer.concat([
    Buffer.from([ED25519]),
    publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
  ]);
  return `${name}+${keyHash(name, bytes).toString('hex')}+${bytes.toString('base64')}`;
}

/** Returns the text that is signed. */
export function checkpointText({ origin, size, root, chain }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root, 'hex').toString('base64')}\nchain ${chain}\n`;
}

/** Returns the signed note: the text, an empty line and one signature. The name of the key is the origin. */
export function signCheckpoint(checkpoint: Checkpoint, privateKey: KeyObject): string {
  const text = checkpointText(checkpoint);
  const signature = Buffer.concat([
    keyHashOf(verifierKey(checkpoint.origin, createPublicKey(privateKey))),
    sign(null, Buffer.from(text), privateKey),
  ]);
  return `${text}\n— ${checkpoint.origin} ${signature.toString('base64')}\n`;
}

/** Parses a note without verifying its signature. Returns undefined if it is not a checkpoint. */
export function readCheckpoint(note: string): Checkpoint | undefined {
  const [, origin = '', size = '', root = '', chain = ''] = NOTE.exec(textOf(note)) ?? [];
  if (origin === '') return undefined;
  return { origin, size: Number(size), root: Buffer.from(root, 'base64').toString('hex'), chain };
}

/** True if one of the note's signatures is by that key. False for a malformed key. */
export function isSignedBy(note: string, key: VerifierKey): boolean {
  const text = textOf(note);
  const name = nameOf(key);
  return note
    .slice(text.length)
    .split('\n')
    .some((line) => {
      const [, signer, signature = ''] = SIGNATURE.exec(line) ?? [];
      return signer === name && isSignature(text, signature, key);
    });
}

/** The name and the hash of the key that signed a note, as a verifier key begins. */
export function signerOf(note: string): string {
  const [, name = 'unknown', signature = ''] = SIGNATURE.exec(note.slice(textOf(note).length).trim()) ?? [];
  return `${name}+${Buffer.from(signature, 'base64').subarray(0, 4).toString('hex')}`;
}

/**
 * Returns the signature of one journal position for the commit of a decision: base64 of the key's hash and the
 * signature.
 */
export function signPosition(key: VerifierKey, position: ChainPosition, privateKey: KeyObject): string {
  const signature = sign(null, Buffer.from(positionText(nameOf(key), position)), privateKey);
  return Buffer.concat([keyHashOf(key), signature]).toString('base64');
}

/** True if `signPosition` with that key produces `signature`. */
export function isPositionSignedBy(position: ChainPosition, signature: string, key: VerifierKey): boolean {
  return isSignature(positionText(nameOf(key), position), signature, key);
}

function isSignature(text: string, signature: string, key: VerifierKey): boolean {
  const [, name = '', , encoded = ''] = VERIFIER.exec(key) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length !== 33 || bytes[0] !== ED25519 || !keyHash(name, bytes).equals(keyHashOf(key))) return false;
  const publicKey = createPublicKey({
    key: Buffer.concat([SPKI_ED25519, bytes.subarray(1)]),
    format: 'der',
    type: 'spki',
  });
  const signed = Buffer.from(signature, 'base64');
  return (
    signed.length === 4 + SIGNATURE_BYTES &&
    // Accepts only one spelling per signature: base64 has spare bits at its end.
    signed.toString('base64') === signature &&
    signed.subarray(0, 4).equals(keyHashOf(key)) &&
    verify(null, Buffer.from(text), publicKey, signed.subarray(4))
  );
}

const positionText = (name: string, { seq, hash }: ChainPosition): string => `${name}\nentry ${seq} ${hash}\n`;

const textOf = (note: string): string => note.slice(0, note.indexOf('\n\n') + 1);
const keyHash = (name: string, key: Uint8Array): Buffer =>
  createHash('sha256').update(`${name}\n`).update(key).digest().subarray(0, 4);
const nameOf = (key: VerifierKey): string => key.split('+')[0] ?? '';
const keyHashOf = (key: VerifierKey): Buffer => Buffer.from(key.split('+')[1] ?? '', 'hex');
