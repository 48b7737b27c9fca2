import { Injectable } from '@nestjs/common';
import { type Caller, canDecideProposals } from '../../access/identity/caller.js';
import type { ProposalQuery, ProposalSummary } from '../../approvals/proposals/proposals.schema.js';
import { ProposalReader } from '../../approvals/queue/proposal-reader.service.js';

/** Proposals of a page. With the longest titles and actions the page stays below 60 KB, style and script included. */
const PAGE = 30;
/** More than the snooze cookie can hold. */
const MAX_SCANNED = 100;

/** Ids of snoozed proposals with the time when each returns, in milliseconds since 1970. */
type Snoozed = ReadonlyMap<string, number>;

/** A page of the approval queue for one person. */
export interface ReviewQueuePage {
  readonly items: readonly ProposalSummary[];
  /** Pending proposals that this person may decide. */
  readonly total: number;
  /** All pending proposals. */
  readonly all: number;
  readonly next: string | null;
  /** Proposals left out of this page because they are snoozed. */
  readonly snoozed: number;
}

/**
 * The approval queue of one person: reviewers see what they may decide and have not voted on, without snoozed
 * proposals.
 */
@Injectable()
export class ReviewQueue {
  constructor(private readonly views: ProposalReader) {}

  async page(
    caller: Caller,
    snoozed: Snoozed,
    filters: Partial<ProposalQuery>,
    { everything = false }: { everything?: boolean } = {},
  ): Promise<ReviewQueuePage> {
    const mine = canDecideProposals(caller) && !everything ? { mine: 'true' as const } : {};
    const page = await this.views.list(caller, { state: 'pending', limit: PAGE, ...mine, ...filters });
    const all = 'mine' in mine ? await this.views.countPending() : page.total;
    const items = everything ? page.items : page.items.filter(({ id }) => !snoozed.has(id));
    const skipped = page.items.filter(({ id }) => snoozed.has(id)).length;
    return { items, total: page.total, all, next: page.next, snoozed: skipped };
  }

  /** The id of the next proposal for this person after the open one; after the last, the first again. */
  async next(caller: Caller, snoozed: Snoozed, after?: string): Promise<string | undefined> {
    const mine = canDecideProposals(caller) ? { mine: 'true' as const } : {};
    for (const from of after === undefined ? [{}] : [{ after }, {}]) {
      const { ids } = await this.views.listIds(caller, { state: 'pending', limit: MAX_SCANNED, ...mine, ...from });
      const found = ids.find((id) => id !== after && !snoozed.has(id));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
