import type { Guildbook } from '../../src/client/guildbook.js';
import type { JournalEntry } from '../../src/journal/journal.schema.js';

export interface Decision {
  readonly proposalId: string;
  readonly name: string;
  readonly isRetirement: boolean;
  readonly artifactSha256: string;
}

const PAGE = 500;

/** The decisions and their publications according to the server's journal, read incrementally. */
export class Ledger {
  /** The decisions in order. */
  readonly decisions: Decision[] = [];
  /** Proposal → the commits that were acknowledged for it. */
  readonly acknowledged = new Map<string, string[]>();
  private seq = 0;

  async readNew(client: Guildbook): Promise<void> {
    for (;;) {
      const { items } = await client.journal.list({ order: 'oldest', after: this.seq, limit: PAGE });
      for (const entry of items) this.take(entry);
      if (items.length < PAGE) return;
    }
  }

  get isDrained(): boolean {
    return this.decisions.every(({ proposalId }) => this.acknowledged.has(proposalId));
  }

  /** Skill → the hash of the bytes that org memory has to contain. */
  get live(): Map<string, string> {
    const live = new Map<string, string>();
    for (const { name, isRetirement, artifactSha256 } of this.decisions) {
      if (isRetirement) live.delete(name);
      else live.set(name, artifactSha256);
    }
    return live;
  }

  private take({ seq, action, subject, data }: JournalEntry): void {
    this.seq = seq;
    const said = new Map(Object.entries(typeof data === 'object' && data !== null ? data : {}));
    const text = (key: string) => String(said.get(key) ?? '');
    if (action === 'proposal.approved')
      this.decisions.push({
        proposalId: subject.id,
        name: text('skillName'),
        isRetirement: text('kind') === 'retire',
        artifactSha256: text('artifactSha256'),
      });
    if (action === 'skill.published' || action === 'skill.retired')
      this.acknowledged.set(text('proposal'), [...(this.acknowledged.get(text('proposal')) ?? []), text('commit')]);
  }
}
