import { type ChainEntry, type ChainPosition, findChainBreak, GENESIS } from './chain.js';
import { Frontier } from './merkle.js';

/** A position of the journal that is known from outside its entries: its head, a checkpoint, a line in a commit. */
export interface Anchor extends ChainPosition {
  /** Root of the Merkle tree over the entries up to here. */
  readonly root?: string;
  /** For people: "the recorded head". */
  readonly label: string;
}

export interface ChainBreak {
  readonly seq: number;
  readonly reason: string;
}

/**
 * Verifies a journal from its first entry, page by page, and reports the first entry that does not fit. The chain alone
 * cannot reveal a truncated end or rehashed entries; the anchors do.
 */
export class ChainAudit {
  private at: ChainPosition = { seq: 0, hash: GENESIS };
  private readonly tree = Frontier.empty();

  /** The last entry that was verified. */
  get position(): ChainPosition {
    return this.at;
  }

  /** Verifies the next entries, in order, against the chain and the anchors among them. */
  read(entries: readonly ChainEntry[], anchors: readonly Anchor[]): ChainBreak | undefined {
    const expected = new Map<number, Anchor[]>();
    for (const anchor of anchors) expected.set(anchor.seq, [...(expected.get(anchor.seq) ?? []), anchor]);
    for (const entry of entries) {
      const broken = findChainBreak([entry], this.at);
      if (broken) return broken;
      this.at = { seq: entry.seq, hash: entry.hash };
      this.tree.append(entry.hash);
      for (const { hash, root, label } of expected.get(entry.seq) ?? [])
        if (hash !== entry.hash || (root !== undefined && root !== this.tree.root()))
          return { seq: entry.seq, reason: `is not ${label}` };
    }
    return undefined;
  }

  /** Called after the last entry. Reports an anchor beyond the end. */
  end(anchors: readonly Anchor[]): ChainBreak | undefined {
    const beyond = anchors.find(({ seq }) => seq > this.at.seq);
    return beyond && { seq: this.at.seq + 1, reason: `the journal ends before ${beyond.label}, at ${beyond.seq}` };
  }
}
