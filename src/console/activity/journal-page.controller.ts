import { Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { ConsoleController } from '../frame/console-routes.decorator.js';
import { moment } from '../frame/in-words.js';
import { sendPage } from '../frame/pages.view.js';
import { JournalChecks } from './journal-checks.service.js';

const PAGE = 50;
const REFRESH_SECONDS = 3;
const MAX_WAIT_MS = 2_000;
const PageQuery = z.object({
  action: z.string().trim().max(100).default('').catch(''),
  after: z.coerce.number().int().min(0).default(0).catch(0),
  /** `1` starts a verification, `shown` shows the progress or the result of the last one. */
  verify: z.enum(['1', 'shown']).optional().catch(undefined),
});
type PageQuery = z.infer<typeof PageQuery>;

@ConsoleController('journal')
export class JournalPageController {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly checks: JournalChecks,
  ) {}

  @Get()
  @RequireScope('read', 'person')
  async show(
    @Query({ schema: PageQuery }) { action, after, verify }: PageQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (verify === '1') await this.checks.begin(MAX_WAIT_MS);
    const check = verify === undefined ? undefined : this.checks.last;
    const now = this.clock.now();
    const only = action === '' ? {} : { action };
    const { items, next } = await this.journal.list({ ...only, after, limit: PAGE, order: 'newest' });
    const more = next === null ? null : `/journal?${new URLSearchParams({ ...only, after: String(next) })}`;
    await sendPage(reply, {
      template: 'journal',
      title: 'Journal',
      section: 'journal',
      ...(check?.status === 'running' ? { refresh: `${REFRESH_SECONDS}; url=/journal?verify=shown` } : {}),
      view: {
        action,
        more,
        isBehind: after > 0,
        check: check ?? null,
        checked: check?.status === 'done' ? moment(check.at.toISOString(), now) : null,
        rows: items.map(({ seq, at, actor, action: what, subject }) => ({
          seq,
          when: moment(at, now),
          who: actor.name,
          kind: actor.kind,
          what,
          about: subject.type,
          link: linkOf(subject),
          id: ID.test(subject.id) ? subject.id.slice(0, 8) : subject.id,
        })),
      },
    });
  }
}

/** Ids are shortened, names are not. */
const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

const PAGES: Readonly<Record<string, string>> = {
  proposal: 'review',
  execution: 'executions',
  cycle: 'cycles',
  skill: 'skills',
};

/** The page of an entry's subject; null if it has none. */
function linkOf({ type, id }: { type: string; id: string }): string | null {
  const page = Object.hasOwn(PAGES, type) ? PAGES[type] : undefined;
  return page === undefined ? null : `/${page}/${encodeURIComponent(id)}`;
}
