import { canonicalJson, sha256 } from '../platform/base/canonical-json.js';

/** One entry as stored. `data` is canonical JSON as text, so that the database cannot reformat what was hashed. */
export interface ChainEntry {
  readonly seq: number;
  /** ISO 8601 with milliseconds. */
  readonly at: string;
  readonly actorKind: string;
  readonly actorId: string;
  readonly actorName: string;
  readonly action: string;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly data: string;
  readonly previousHash: string;
  readonly hash: string;
}

export const GENESIS = '0'.repeat(64);

/** Returns the SHA-256 over the canonical JSON of every stored column except the hash itself. */
export function entryHash(entry: Omit<ChainEntry, 'hash'>): string {
  const { seq, at, actorKind, actorId, actorName, action, subjectType, subjectId, data, previousHash } = entry;
  return sha256(
    canonicalJson({ seq, at, actorKind, actorId, actorName, action, subjectType, subjectId, data, previousHash }),
  );
}

export interface ChainPosition {
  readonly seq: number;
  readonly hash: string;
}

/**
 * Returns the first entry that breaks the chain after `from`, or undefined. Entries come in order of `seq`. A chain
 * alone cannot reveal a truncated end: the caller compares the last entry with the head it knows.
 */
export function findChainBreak(
  entries: Iterable<ChainEntry>,
  from: ChainPosition = { seq: 0, hash: GENESIS },
): { seq: number; reason: string } | undefined {
  let { seq, hash } = from;
  for (const entry of entries) {
    if (entry.seq !== seq + 1) return { seq: seq + 1, reason: `entry ${seq + 1} is missing` };
    if (entry.previousHash !== hash) return { seq: entry.seq, reason: 'does not follow from the entry before it' };
    if (entryHash(entry) !== entry.hash) return { seq: entry.seq, reason: 'was changed after it was written' };
    ({ seq, hash } = entry);
  }
  return undefined;
}
