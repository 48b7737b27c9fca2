import type { Landmark } from './audit.js';
import { isPositionSignedBy, isSignedBy, readCheckpoint, type VerifierKey } from './checkpoint.js';

const HEAD = /^(\d{1,15}):([0-9a-f]{64})$/;
const TRAILER = /^ *Guildbook-Journal: (\d{1,15}:[0-9a-f]{64})$/;
const SIGNATURE = /^ *Guildbook-Journal-Signature: (\S{1,300})$/;

/** `<seq>:<hash>`, as `journal verify` prints the head. Undefined when it is not that. */
export function headLandmark(text: string, what = 'the head that you know'): Landmark | undefined {
  const [, seq = '', hash = ''] = HEAD.exec(text.trim()) ?? [];
  return hash === '' ? undefined : { seq: Number(seq), hash, what };
}

/** A checkpoint that was kept. Undefined when it is none, or is not signed by `key`. */
export function checkpointLandmark(note: string, key: VerifierKey): Landmark | undefined {
  const checkpoint = readCheckpoint(note);
  if (!checkpoint || !isSignedBy(note, key)) return undefined;
  return { seq: checkpoint.size, hash: checkpoint.chain, root: checkpoint.root, what: 'the checkpoint that was kept' };
}

export interface CommitLandmarks {
  readonly landmarks: Landmark[];
  /** Entries whose commit holds no signature: made before the journal was signed. */
  readonly unsigned: number;
  /** Entries whose signature is not by the key. */
  readonly forged: number[];
}

/** The journal entries that the messages of skills commits name, from the output of `git log --format=%B`. */
export function commitLandmarks(log: string, key: VerifierKey): CommitLandmarks {
  const landmarks: Landmark[] = [];
  const forged: number[] = [];
  let unsigned = 0;
  const lines = log.split('\n');
  for (const [at, line] of lines.entries()) {
    const landmark = headLandmark(TRAILER.exec(line)?.[1] ?? '', 'the entry that a commit names');
    if (!landmark) continue;
    landmarks.push(landmark);
    const signature = SIGNATURE.exec(lines[at + 1] ?? '')?.[1];
    if (signature === undefined) unsigned += 1;
    else if (!isPositionSignedBy(landmark, signature, key)) forged.push(landmark.seq);
  }
  return { landmarks, unsigned, forged };
}
