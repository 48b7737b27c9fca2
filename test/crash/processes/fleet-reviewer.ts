import { setTimeout as sleep } from 'node:timers/promises';
import type { ProposalSummary } from '../../../src/approvals/proposals/proposals.schema.js';
import { GuildbookError } from '../../../src/client/guildbook.js';
import type { SeededChoices } from '../seeded-choices.js';
import type { Acknowledged } from './acknowledged.js';
import type { FleetClient } from './fleet-client.js';

const PAUSE_MS = 150;
const READ_EVERY = 5;

/** A person who approves and retires, one decision after the other, over any process. */
export class FleetReviewer {
  /** The names of the live skills, as last seen. */
  live: readonly string[] = [];
  pending: ProposalSummary[] = [];
  private retirable: string[] = [];

  constructor(
    private readonly token: string,
    private readonly choices: SeededChoices,
    private readonly fleet: FleetClient,
    private readonly acknowledged: Acknowledged,
  ) {}

  async read(): Promise<void> {
    const { answer: page } = await this.fleet.send(this.token, 'proposals', (client) =>
      client.proposals.list({ state: 'pending', limit: 100 }),
    );
    const { answer: skills } = await this.fleet.send(this.token, 'skills', (client) => client.skills.list());
    this.pending = [...page.items];
    this.live = skills.items.map(({ name }) => name);
    this.retirable = skills.items.map(({ proposalId }) => proposalId);
  }

  async run(isOver: () => boolean): Promise<void> {
    for (let n = 0; !isOver(); n += 1) {
      if (this.pending.length === 0 || n % READ_EVERY === 0) await this.read();
      await this.decide();
      await sleep(PAUSE_MS);
    }
  }

  private async decide(): Promise<void> {
    const retires = this.choices.below(5) === 0 && this.retirable.length > 3;
    const [live] = retires ? this.retirable.splice(this.choices.below(this.retirable.length), 1) : [];
    const [proposal] = retires ? [] : this.pending.splice(this.choices.below(Math.max(1, this.pending.length)), 1);
    const id = live ?? proposal?.id;
    if (id === undefined) return;
    try {
      const { answer } = await this.fleet.send(this.token, retires ? 'retire' : 'approve', (client) =>
        proposal === undefined
          ? client.retireSkill(id, 'it is no longer true')
          : client.proposals.approve(id, proposal.artifactSha256),
      );
      // A proposal of high risk waits for another vote.
      if (answer.state !== 'pending') this.acknowledged.decisions.add(answer.id);
    } catch (error) {
      // Decided by an attempt that had no answer, replaced, or retired meanwhile.
      if (!(error instanceof GuildbookError && error.problem.status === 409)) throw error;
    }
  }
}
