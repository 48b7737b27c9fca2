import { Injectable, Logger } from '@nestjs/common';
import { covers } from '../../access/identity/remit.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Publisher } from '../../skills/publishing/publisher.service.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { type Item, replacedBy } from '../proposals/approval-item.js';
import { toSummary } from '../proposals/approval-summary.js';
import type { Override, Voted } from '../proposals/approvals.schema.js';
import { DecisionApplier, rivalWon, type VoteResult } from '../voting/decision-applier.service.js';
import { OpenItems } from '../voting/open-items.service.js';
import { VoteRepository } from '../voting/vote.repository.js';

/** How long the first half waits for the second; the database has the same bound. */
const VALID_MS = HOUR_MS;

type What = 'remit' | 'votes';

/**
 * The way around the remit and the number of votes, and around nothing else: two people, each with a reason and on the
 * bytes that they read, within an hour. The journal has an action of its own for it.
 */
@Injectable()
export class OverrideRules {
  private readonly logger = new Logger(OverrideRules.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly votes: VoteRepository,
    private readonly open: OpenItems,
    private readonly applier: DecisionApplier,
    private readonly publisher: Publisher,
  ) {}

  /**
   * The first half waits, the second one of somebody else approves. Throws `conflict` when a vote would do, for the same
   * person a second time, and as an approval does.
   */
  async override(reviewer: ReviewerActor, id: string, asked: Override, ifMatch?: string): Promise<Voted> {
    const reason = redact(asked.reason).text;
    const { item, approvers, says } = await this.database
      .transaction(async (tx) => {
        const item = await this.open.lock(tx, id, { artifactSha256: asked.artifactSha256, ifMatch });
        await this.open.requireCurrent(tx, item);
        return this.half(tx, reviewer, item, reason);
      })
      .catch(rivalWon);
    const memory = replacedBy(item);
    if (memory !== undefined) this.logger.log({ event: 'ORG_SKILL_SUPERSEDED', memory, approval: id });
    this.publisher.wake();
    return { ...toSummary(item, approvers), says };
  }

  private async half(tx: Tx, reviewer: ReviewerActor, item: Item, reason: string): Promise<VoteResult> {
    const at = this.clock.now();
    const earlier = await this.votes.overrides(tx, item, new Date(at.getTime() - VALID_MS));
    if (earlier.some(({ personId }) => personId === reviewer.id))
      throw new DomainError(
        'conflict',
        'approval.override_asked_already',
        'You gave one half of this override. Somebody else has to give the other, whichever credential you use.',
      );
    const [first] = earlier;
    const what = overridden(reviewer, item);
    if (!first && what.length === 0)
      throw new DomainError(
        'conflict',
        'approval.override_not_needed',
        'Nothing is in the way of your vote: approve it.',
      );
    const half = { id: this.ids.uuid(), item, principalId: reviewer.id, verdict: 'override' as const, reason, at };
    await this.votes.add(tx, half);
    if (first) {
      const approvers = [first.personId, reviewer.id];
      const data = { reason, first: { by: first.personId, reason: first.reason } };
      const [settled] = await this.applier.apply(tx, [
        { reviewer, item, approvers, action: 'approval.overridden', data },
      ]);
      if (settled) return settled;
    }
    await this.journal.append(tx, reviewer, {
      action: 'approval.override_asked',
      subject: { type: 'approval', id: item.id },
      data: { artifactSha256: item.artifactSha256, revision: item.revision, overrides: what, reason },
    });
    const until = new Date(at.getTime() + VALID_MS).toISOString();
    const approvers = (await this.votes.approvers(tx, [item])).get(item.id) ?? [];
    return { item, approvers, says: `Another reviewer has to override the same bytes by ${until}.` };
  }
}

/** What stands in the way of this person's vote, or of two votes. */
function overridden({ remit }: ReviewerActor, { audience, votesNeeded }: Item): What[] {
  return [...(covers(remit, audience) ? [] : (['remit'] as const)), ...(votesNeeded > 2 ? (['votes'] as const) : [])];
}
