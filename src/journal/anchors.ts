import type { Anchor, ChainBreak } from './chain-audit.js';
import { isPositionSignedBy, isSignedBy, readCheckpoint, type VerifierKey } from './checkpoint.js';

const HEAD = /^(\d{1,15}):([0-9a-f]{64})$/;
const TRAILER = /^ *Guildbook-Journal: (\d{1,15}:[0-9a-f]{64})$/;
const SIGNATURE = /^ *Guildbook-Journal-Signature: (\S{1,300})$/;

/** Parses `<seq>:<hash>`, as `journal verify` prints the head. Returns undefined for any other form. */
export function headAnchor(text: string, label = 'the head that you know'): Anchor | undefined {
  const [, seq = '', hash = ''] = HEAD.exec(text.trim()) ?? [];
  return hash === '' ? undefined : { seq: Number(seq), hash, label };
}

/** Reads a saved checkpoint. Returns undefined if it is not a checkpoint or not signed by `key`. */
export function checkpointAnchor(note: string, key: VerifierKey): Anchor | undefined {
  const checkpoint = readCheckpoint(note);
  if (!checkpoint || !isSignedBy(note, key)) return undefined;
  return { seq: checkpoint.size, hash: checkpoint.chain, root: checkpoint.root, label: 'the saved checkpoint' };
}

export interface CommitAnchors {
  readonly anchors: Anchor[];
  /** Number of entries without a signature in their commit because they are older than the first signed one. */
  readonly unsigned: number;
  /** The first entry whose signature is not by the key, or is missing although an earlier entry has one. */
  readonly forged: ChainBreak | undefined;
}

/** Returns the journal entries that the messages of skills commits name, from the output of `git log --format=%B`. */
export function commitAnchors(log: string, key: VerifierKey): CommitAnchors {
  const anchors: Anchor[] = [];
  const forged: ChainBreak[] = [];
  const signed: number[] = [];
  const unsigned: number[] = [];
  const lines = log.split('\n');
  for (const [at, line] of lines.entries()) {
    const anchor = headAnchor(TRAILER.exec(line)?.[1] ?? '', 'the entry that a commit names');
    if (!anchor) continue;
    anchors.push(anchor);
    const signature = SIGNATURE.exec(lines[at + 1] ?? '')?.[1];
    if (signature === undefined) unsigned.push(anchor.seq);
    else if (isPositionSignedBy(anchor, signature, key)) signed.push(anchor.seq);
    else forged.push({ seq: anchor.seq, reason: "a commit names it with a signature that is not the journal's" });
  }
  // From the first signed entry on, every decision is signed: an attacker who rewrites history without the key leaves
  // out signatures.
  const since = Math.min(...signed);
  for (const seq of unsigned.filter((entry) => entry > since))
    forged.push({ seq, reason: 'a commit names it without a signature, which an earlier one has' });
  const [first] = forged.sort((one, other) => one.seq - other.seq);
  return { anchors, unsigned: unsigned.length, forged: first };
}
