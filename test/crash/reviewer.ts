import type { ProposalSummary } from '../../src/approvals/proposals/proposals.schema.js';
import { type Guildbook, GuildbookError, NoResponseError } from '../../src/client/guildbook.js';
import type { SeededChoices } from './seeded-choices.js';

const LANES = 3;
const PER_LANE = 4;

/** A person who decides and remembers the confirmed decisions. */
export class Reviewer {
  /** The ids of proposals whose approval or retirement the server confirmed. */
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

  /** Makes concurrent approvals, supersessions and retirements until all are made or the server is gone. */
  async decide(): Promise<void> {
    const lanes = Array.from({ length: LANES }, () => Array.from({ length: PER_LANE }, () => this.next()));
    await Promise.all(
      lanes.map(async (decisions) => {
        for (const decision of decisions) if (decision && !(await this.isAnswered(decision))) return;
      }),
    );
  }

  // Chosen in advance, so that the choices do not depend on timing.
  private next(): (() => Promise<ProposalSummary>) | undefined {
    const { client } = this;
    if (!client) return undefined;
    const retires = this.choices.below(5) === 0 && this.live.length > 0;
    const approval = retires ? this.choices.of(this.live) : undefined;
    if (approval !== undefined) return () => client.retireSkill(approval, 'it is no longer true');
    if (this.pending.length === 0) return undefined;
    const [proposal] = this.pending.splice(this.choices.below(this.pending.length), 1);
    return proposal && (() => client.proposals.approve(proposal.id, proposal.artifactSha256));
  }

  /** False if no answer came; a refusal is an answer. */
  private async isAnswered(decision: () => Promise<ProposalSummary>): Promise<boolean> {
    try {
      const { id, state } = await decision();
      // A proposal of high risk waits for another vote.
      if (state !== 'pending') this.confirmed.add(id);
      return true;
    } catch (error) {
      if (error instanceof NoResponseError) return false;
      // Another lane replaced or retired the skill, or a decision without an answer was applied.
      if (error instanceof GuildbookError && error.problem.status === 409) return true;
      throw error;
    }
  }
}
