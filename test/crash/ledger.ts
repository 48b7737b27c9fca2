import type { Guildbook } from '../../src/client/guildbook.js';
import type { JournalEntry } from '../../src/journal/journal.schema.js';

export interface Decision {
  readonly proposalId: string;
  readonly name: string;
  readonly isRetirement: boolean;
  readonly artifactSha256: string;
}

const PAGE = 500;

/** What the server's journal says was decided, and what was carried out; read on from where it was read to. */
export class Ledger {
  /** In their order. */
  readonly decisions: Decision[] = [];
  /** Approval → the commits that were acknowledged for it. */
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

  /** Skill → the bytes that org memory has to say. */
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
