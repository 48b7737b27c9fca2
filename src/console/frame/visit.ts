import { MINUTE_MS } from '../../platform/base/durations.js';

/** What a browser remembers between two pages of Today: small, and no secret. */
export interface Visit {
  /** The journal's entries after this one are news, and this is when they began. */
  readonly after: number;
  readonly since: Date | null;
  readonly cookie: string;
}

export const VISIT_COOKIE = '__Host-guildbook-visit';
export const SNOOZED_COOKIE = '__Host-guildbook-later';

const PAUSE_MS = 30 * MINUTE_MS;
const MAX_SNOOZED = 60;
const VISIT_FORMAT = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/;
const SNOOZED_ENTRY = /^([0-9a-f-]{36}):(\d{1,15})$/;

/**
 * A visit lasts until nobody has looked for half an hour. News are what the journal has since the end of the visit
 * before: `last` page, the head that it saw, and where the news of this visit begin.
 */
export function visitOf(cookie: string | undefined, now: Date, head: number): Visit {
  const [, last = 0, seen = 0, after = 0, since = 0] = (cookie?.match(VISIT_FORMAT) ?? []).map(Number);
  const isNew = now.getTime() - last > PAUSE_MS;
  const begin = isNew ? { after: seen, since: last } : { after, since };
  const isFirst = begin.since === 0;
  return {
    after: isFirst ? head : begin.after,
    since: isFirst ? null : new Date(begin.since),
    cookie: [now.getTime(), head, isFirst ? head : begin.after, begin.since].join('.'),
  };
}

/** The items that this browser's person put off, with the time until which. */
export function snoozedProposals(cookie: string | undefined, now: Date): Map<string, number> {
  const pairs = (cookie ?? '').slice(0, 4_000).split('_').slice(0, MAX_SNOOZED);
  return new Map(
    pairs.flatMap((pair) => {
      const [, id = '', until = '0'] = pair.match(SNOOZED_ENTRY) ?? [];
      return Number(until) > now.getTime() ? [[id, Number(until)] as const] : [];
    }),
  );
}

/** The cookie with one item more; the oldest gives way. */
export function withSnoozed(cookie: string | undefined, id: string, until: Date, now: Date): string {
  const items = snoozedProposals(cookie, now);
  items.delete(id);
  const kept = [...items].slice(-(MAX_SNOOZED - 1));
  return [...kept, [id, until.getTime()] as const].map(([item, time]) => `${item}:${time}`).join('_');
}
