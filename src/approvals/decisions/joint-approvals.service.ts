import { Injectable } from '@nestjs/common';
import type { Reviewed } from '../../journal/actor.js';
import { Batcher } from '../../platform/background/batcher.js';
import { Clock } from '../../platform/base/clock.js';
import type { DomainError } from '../../platform/base/domain.errors.js';
import { Database, isUniqueViolation } from '../../platform/database/database.js';
import type { Statements } from '../../platform/database/statements.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import { type Ballot, type Standing, weigh } from '../voting/ballot.js';
import { stale } from '../voting/open-item.js';
import { OpenItems } from '../voting/open-items.service.js';
import { type Settled, Settlement } from '../voting/settlement.service.js';
import { VoteRepository } from '../voting/vote.repository.js';

/** Approvals in one transaction at most: as many as a slow disk gathers, and few enough for one statement. */
const AT_MOST = 64;

/** What one ballot came to. */
type Answer = { readonly settled: Settled } | { readonly refused: DomainError };

/**
 * Approvals that come while others are written are written together, in one transaction and with one append to the
 * journal, which is a single chain. Each is weighed for itself and gets its own answer (decision 28).
 */
@Injectable()
export class JointApprovals {
  private readonly ballots = new Batcher<Reviewed<Ballot>, Answer>(AT_MOST, (ballots) => this.decide(ballots));

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly items: ApprovalRepository,
    private readonly votes: VoteRepository,
    private readonly open: OpenItems,
    private readonly settlement: Settlement,
  ) {}

  /** Throws as `Approvals.approve` says. */
  async cast(ballot: Reviewed<Ballot>): Promise<Settled> {
    const answer = await this.ballots.add(ballot);
    if ('refused' in answer) throw answer.refused;
    return answer.settled;
  }

  private decide(ballots: readonly Reviewed<Ballot>[]): Promise<Answer[]> {
    return this.database
      .statements(async (tx) => {
        const outcomes = weigh(ballots, await this.standing(tx, ballots), this.clock.now());
        const cast = outcomes.flatMap((outcome) => ('cast' in outcome ? [outcome.cast] : []));
        const settled = (cast.length === 0 ? [] : await this.settlement.settle(tx, cast)).values();
        return outcomes.map((outcome) => {
          if ('refused' in outcome) return outcome;
          const { value } = settled.next();
          if (!value) throw new Error('a vote was not settled');
          return { settled: value };
        });
      })
      .catch(rivalWon);
  }

  private async standing(tx: Statements, ballots: readonly Ballot[]): Promise<Map<string, Standing>> {
    const items = await this.items.lockAll(tx, [...new Set(ballots.map(({ id }) => id))]);
    const waiting = [...items.values()].filter(({ state }) => state === 'pending');
    await this.open.holdRivals(tx, waiting);
    const around = await this.open.surroundings(tx, waiting);
    const approvers = await this.votes.approvers(tx, waiting);
    return new Map(
      [...items].map(([id, item]) => [id, { item, around: around(item), approvers: approvers.get(id) ?? [] }]),
    );
  }
}

/** Two versions of one skill approved at once: the database admits one live entry of a name. */
export function rivalWon(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw stale('Another version of this skill was approved at this moment.');
}
