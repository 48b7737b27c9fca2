import type { ProposalSummary } from '../../src/approvals/proposals/proposals.schema.js';
import { type Guildbook, GuildbookError, NoResponseError } from '../../src/client/guildbook.js';
import type { SeededChoices } from './seeded-choices.js';

const LANES = 3;
const PER_LANE = 4;

/** A person who decides, and remembers what the server said was done. */
export class Reviewer {
  /** The approvals that were answered with success: of skills and of retirements. */
  readonly confirmed = new Set<string>();
  pending: ProposalSummary[] = [];
  private live: string[] = [];
  private client: Guildbook | undefined;

  constructor(private readonly choices: SeededChoices) {}

  async read(client: Guildbook): Promise<void> {
    this.client = client;
    this.pending = (await client.proposals.list({ state: 'pending', limit: 100 })).items;
    this.live = (await client.skills.list()).items.map(({ proposalId }) => proposalId);
  }

  /** Approvals, supersessions and revocations, several at a time, until they are made or the server is away. */
  async decide(): Promise<void> {
    const lanes = Array.from({ length: LANES }, () => Array.from({ length: PER_LANE }, () => this.next()));
    await Promise.all(
      lanes.map(async (decisions) => {
        for (const decision of decisions) if (decision && !(await this.isAnswered(decision))) return;
      }),
    );
  }

  // Chosen before they are made, so that the choices do not depend on who is faster.
  private next(): (() => Promise<ProposalSummary>) | undefined {
    const { client } = this;
    if (!client) return undefined;
    const revokes = this.choices.below(5) === 0 && this.live.length > 0;
    const approval = revokes ? this.choices.of(this.live) : undefined;
    if (approval !== undefined) return () => client.retireSkill(approval, 'it is not true any more');
    if (this.pending.length === 0) return undefined;
    const [item] = this.pending.splice(this.choices.below(this.pending.length), 1);
    return item && (() => client.proposals.approve(item.id, item.artifactSha256));
  }

  /** False when no answer came; a refusal is one. */
  private async isAnswered(decision: () => Promise<ProposalSummary>): Promise<boolean> {
    try {
      this.confirmed.add((await decision()).id);
      return true;
    } catch (error) {
      if (error instanceof NoResponseError) return false;
      // The skill was replaced or revoked in the other lane, or a lost decision stands.
      if (error instanceof GuildbookError && error.problem.status === 409) return true;
      throw error;
    }
  }
}
