import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import type { ProposalQuery, ProposalSummary } from '../../approvals/proposals/proposals.schema.js';
import { ProposalReader } from '../../approvals/queue/proposal-reader.service.js';

/** With the longest titles and actions still within 60 KB, style and script included. */
const PAGE = 30;
/** More than a browser can put off. */
const MAX_SCANNED = 100;

/** What somebody put off, with the time until which. */
type Snoozed = ReadonlyMap<string, number>;

/** A page of the queue as one person sees it. */
export interface ReviewQueuePage {
  readonly items: readonly ProposalSummary[];
  /** What waits for this person, and for anybody. */
  readonly total: number;
  readonly all: number;
  readonly next: string | null;
  /** Left out of this page: put off. */
  readonly snoozed: number;
}

export const canDecideProposals = (caller: Caller): boolean => caller.isReviewer && caller.scopes.includes('decide');

/** What needs a person: for reviewers what they may decide and have not voted on, without what they put off. */
@Injectable()
export class ReviewQueue {
  constructor(private readonly views: ProposalReader) {}

  async page(
    caller: Caller,
    snoozed: Snoozed,
    filters: Partial<ProposalQuery>,
    { everything = false }: { everything?: boolean } = {},
  ): Promise<ReviewQueuePage> {
    const ownOnly = canDecideProposals(caller) && !everything ? { ownOnly: 'true' as const } : {};
    const page = await this.views.list(caller, { state: 'pending', limit: PAGE, ...ownOnly, ...filters });
    const all = 'mine' in ownOnly ? await this.views.countPending() : page.total;
    const items = everything ? page.items : page.items.filter(({ id }) => !snoozed.has(id));
    const isLater = page.items.filter(({ id }) => snoozed.has(id)).length;
    return { items, total: page.total, all, next: page.next, snoozed: isLater };
  }

  /** The best item for this person behind the one that they have before them; from the top again after the last. */
  async next(caller: Caller, snoozed: Snoozed, after?: string): Promise<string | undefined> {
    const ownOnly = canDecideProposals(caller) ? { ownOnly: 'true' as const } : {};
    for (const from of after === undefined ? [{}] : [{ after }, {}]) {
      const { ids } = await this.views.listIds(caller, { state: 'pending', limit: MAX_SCANNED, ...ownOnly, ...from });
      const found = ids.find((id) => id !== after && !snoozed.has(id));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
