import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { isSignedBy, readCheckpoint, signCheckpoint, type VerifierKey, verifierKey } from '../../journal/checkpoint.js';

/** A signing key of the journal with the keys of others that count as well. */
export class JournalKeys {
  private constructor(
    private readonly key: KeyObject,
    private readonly trusted: readonly VerifierKey[],
  ) {}

  /** Undefined if the text is not an Ed25519 private key in PEM format. */
  static read(pem: string, trusted: readonly VerifierKey[]): JournalKeys | undefined {
    try {
      const key = createPrivateKey(pem);
      return key.asymmetricKeyType === 'ed25519' ? new JournalKeys(key, trusted) : undefined;
    } catch {
      return undefined;
    }
  }

  verifierKey(name: string): VerifierKey {
    return verifierKey(name, createPublicKey(this.key));
  }

  sign(head: {
    readonly origin: string;
    readonly size: number;
    readonly root: string;
    readonly chain: string;
  }): string {
    return signCheckpoint(head, this.key);
  }

  /** True if this key signed the note, under any name of the journal. */
  isOwn(note: string): boolean {
    const checkpoint = readCheckpoint(note);
    return checkpoint !== undefined && isSignedBy(note, this.verifierKey(checkpoint.origin));
  }

  /** The position and root that the note names, if a trusted key signed it. */
  signedHead(note: string): { readonly seq: number; readonly hash: string; readonly root: string } | undefined {
    const checkpoint = readCheckpoint(note);
    if (checkpoint === undefined || !this.isTrusted(note)) return undefined;
    return { seq: checkpoint.size, hash: checkpoint.chain, root: checkpoint.root };
  }

  isTrusted(note: string): boolean {
    return this.isOwn(note) || this.trusted.some((key) => isSignedBy(note, key));
  }
}
