import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import type { ApprovalQuery, ApprovalSummary } from '../../approvals/proposals/approvals.schema.js';
import { ApprovalViews } from '../../approvals/queue/approval-views.service.js';

/** With the longest titles and actions still within 60 KB, style and script included. */
const PAGE = 30;
/** More than a browser can put off. */
const LOOKED_AT = 100;

/** What somebody put off, with the time until which. */
type Later = ReadonlyMap<string, number>;

/** A page of the queue as one person sees it. */
export interface DeskPage {
  readonly items: readonly ApprovalSummary[];
  /** What waits for this person, and for anybody. */
  readonly total: number;
  readonly all: number;
  readonly next: string | null;
  /** Left out of this page: put off. */
  readonly later: number;
}

export const decides = (caller: Caller): boolean => caller.isReviewer && caller.scopes.includes('decide');

/** What needs a person: for reviewers what they may decide and have not voted on, without what they put off. */
@Injectable()
export class Desk {
  constructor(private readonly views: ApprovalViews) {}

  async page(
    caller: Caller,
    later: Later,
    filters: Partial<ApprovalQuery>,
    { everything = false }: { everything?: boolean } = {},
  ): Promise<DeskPage> {
    const mine = decides(caller) && !everything ? { mine: 'true' as const } : {};
    const page = await this.views.list(caller, { state: 'pending', limit: PAGE, ...mine, ...filters });
    const all = 'mine' in mine ? await this.views.waiting() : page.total;
    const items = everything ? page.items : page.items.filter(({ id }) => !later.has(id));
    const isLater = page.items.filter(({ id }) => later.has(id)).length;
    return { items, total: page.total, all, next: page.next, later: isLater };
  }

  /** The best item for this person behind the one that they have before them; from the top again after the last. */
  async next(caller: Caller, later: Later, after?: string): Promise<string | undefined> {
    const mine = decides(caller) ? { mine: 'true' as const } : {};
    for (const from of after === undefined ? [{}] : [{ after }, {}]) {
      const { ids } = await this.views.order(caller, { state: 'pending', limit: LOOKED_AT, ...mine, ...from });
      const found = ids.find((id) => id !== after && !later.has(id));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
