import { Injectable, Logger } from '@nestjs/common';
import type { Reviewed, ReviewerActor } from '../../journal/actor.js';
import { Batcher } from '../../platform/background/batcher.js';
import { Clock } from '../../platform/base/clock.js';
import type { DomainError } from '../../platform/base/domain.errors.js';
import { Database } from '../../platform/database/database.js';
import type { Statements } from '../../platform/database/statements.js';
import { Publisher } from '../../skills/publishing/publisher.service.js';
import { HandEdits } from '../external/hand-edits.service.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import { concernsLiveSkill, replacedBy } from '../proposals/approval-item.js';
import { toSummary } from '../proposals/approval-summary.js';
import type { Voted } from '../proposals/approvals.schema.js';
import { type Ballot, type Standing, weigh } from '../voting/ballot.js';
import { rivalWon, type VoteResult } from '../voting/decision-applier.service.js';
import { OpenItems } from '../voting/open-items.service.js';
import { VoteRepository } from '../voting/vote.repository.js';
import { VoteCaster } from '../voting/vote-caster.service.js';

/** Approvals in one transaction at most: as many as a slow disk gathers, and few enough for one statement. */
const MOST_AT_ONCE = 64;

/** The answer to one ballot of a batch. A refused one changes nothing for the others. */
type BallotAnswer = { readonly cast: VoteResult } | { readonly refused: DomainError };

/**
 * Approves exactly the bytes that the reviewer read. Approvals that arrive while others are written share the next
 * transaction and append to the journal, which is a single chain; each is weighed for itself (decision 28).
 */
@Injectable()
export class ApproveProposal {
  private readonly logger = new Logger(ApproveProposal.name);
  private readonly batcher = new Batcher<Reviewed<Ballot>, BallotAnswer>(MOST_AT_ONCE, (ballots) =>
    this.approveAll(ballots),
  );

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly items: ApprovalRepository,
    private readonly votes: VoteRepository,
    private readonly open: OpenItems,
    private readonly caster: VoteCaster,
    private readonly publisher: Publisher,
    private readonly handEdits: HandEdits,
  ) {}

  /**
   * Writes in one transaction the vote and, where it is enough, org memory, the publication and the journal, or none of
   * them. Throws `conflict` when the item changed, was decided or has expired, `forbidden` outside the remit.
   */
  async approve(reviewer: ReviewerActor, id: string, artifactSha256: string, ifMatch?: string): Promise<Voted> {
    const ballot: Reviewed<Ballot> = { reviewer, id, seen: { artifactSha256, ifMatch } };
    // In a batch of its own or with others: `approveAll`.
    const answer: BallotAnswer = await this.batcher.add(ballot);
    if ('refused' in answer) throw answer.refused;
    const { item, approvers, says } = answer.cast;
    const memory = replacedBy(item);
    if (memory !== undefined) this.logger.log({ event: 'ORG_SKILL_SUPERSEDED', memory, approval: id });
    this.publisher.wake();
    if (concernsLiveSkill(item)) this.handEdits.wake();
    return { ...toSummary(item, approvers), says };
  }

  /** The answers are in the order of the ballots. */
  private approveAll(ballots: readonly Reviewed<Ballot>[]): Promise<BallotAnswer[]> {
    return this.database
      .statements(async (tx) => {
        const outcomes = weigh(ballots, await this.lock(tx, ballots), this.clock.now());
        const votes = outcomes.flatMap((outcome) => ('cast' in outcome ? [outcome.cast] : []));
        const results = (votes.length === 0 ? [] : await this.caster.cast(tx, votes)).values();
        return outcomes.map((outcome) => {
          if ('refused' in outcome) return outcome;
          const { value } = results.next();
          if (!value) throw new Error('a vote has no result');
          return { cast: value };
        });
      })
      .catch(rivalWon);
  }

  /** The items of the ballots, locked, with what each is measured against. */
  private async lock(tx: Statements, ballots: readonly Ballot[]): Promise<Map<string, Standing>> {
    const items = await this.items.lockAll(tx, [...new Set(ballots.map(({ id }) => id))]);
    const pending = [...items.values()].filter(({ state }) => state === 'pending');
    await this.open.holdRivals(tx, pending);
    const around = await this.open.surroundings(tx, pending);
    const approvers = await this.votes.approvers(tx, pending);
    return new Map(
      [...items].map(([id, item]) => [id, { item, around: around(item), approvers: approvers.get(id) ?? [] }]),
    );
  }
}
