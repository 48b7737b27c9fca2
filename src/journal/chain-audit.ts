import { type ChainEntry, type ChainPosition, findChainBreak, GENESIS } from './chain.js';
import { Frontier } from './merkle.js';

/** What is known of the journal from elsewhere than its entries: its head, a checkpoint, a line in a commit. */
export interface Anchor extends ChainPosition {
  /** Of the tree over the entries up to here. */
  readonly root?: string;
  /** For people: "the head that was recorded". */
  readonly label: string;
}

export interface ChainBreak {
  readonly seq: number;
  readonly reason: string;
}

/**
 * Reads a journal from its first entry, page by page, and says where it stops being what it was. A chain alone shows
 * no cut tail and nothing that was hashed anew (threats 3): that is what landmarks are for.
 */
export class ChainAudit {
  private at: ChainPosition = { seq: 0, hash: GENESIS };
  private readonly tree = Frontier.empty();

  /** The last entry that was read and found good. */
  get position(): ChainPosition {
    return this.at;
  }

  /** The next entries in order, and the landmarks among them. */
  read(entries: readonly ChainEntry[], anchors: readonly Anchor[]): ChainBreak | undefined {
    const expected = new Map<number, Anchor[]>();
    for (const anchor of anchors) expected.set(anchor.seq, [...(expected.get(anchor.seq) ?? []), anchor]);
    for (const entry of entries) {
      const broken = findChainBreak([entry], this.at);
      if (broken) return broken;
      this.at = { seq: entry.seq, hash: entry.hash };
      this.tree.append(entry.hash);
      for (const { hash, root, label: what } of expected.get(entry.seq) ?? [])
        if (hash !== entry.hash || (root !== undefined && root !== this.tree.root()))
          return { seq: entry.seq, reason: `is not ${what}` };
    }
    return undefined;
  }

  /** After the last entry: whether a landmark lies further on. */
  end(anchors: readonly Anchor[]): ChainBreak | undefined {
    const beyond = anchors.find(({ seq }) => seq > this.at.seq);
    return beyond && { seq: this.at.seq + 1, reason: `the journal ends before ${beyond.label}, at ${beyond.seq}` };
  }
}
