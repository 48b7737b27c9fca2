import { MINUTE_MS } from '../../platform/base/durations.js';

/** The state that a browser keeps between two views of the dashboard. It is not secret. */
export interface Visit {
  /** Journal entries after this sequence number are new to the person, since the time `since`. */
  readonly after: number;
  readonly since: Date | null;
  readonly cookie: string;
}

export const VISIT_COOKIE = '__Host-guildbook-visit';
export const SNOOZED_COOKIE = '__Host-guildbook-snoozed';

const PAUSE_MS = 30 * MINUTE_MS;
const MAX_SNOOZED = 60;
const VISIT_FORMAT = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/;
const SNOOZED_ENTRY = /^([0-9a-f-]{36}):(\d{1,15})$/;

/**
 * A visit ends after half an hour without a page. Journal entries since the end of the previous visit are new. The
 * cookie holds the time of the last page, the journal's head at that time, and where the new entries of this visit
 * begin.
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

/** The ids of the snoozed proposals of this browser, each with the time when it returns. */
export function snoozedProposals(cookie: string | undefined, now: Date): Map<string, number> {
  const pairs = (cookie ?? '').slice(0, 4_000).split('_').slice(0, MAX_SNOOZED);
  return new Map(
    pairs.flatMap((pair) => {
      const [, id = '', until = '0'] = pair.match(SNOOZED_ENTRY) ?? [];
      return Number(until) > now.getTime() ? [[id, Number(until)] as const] : [];
    }),
  );
}

/** The cookie value with one more proposal; the oldest is dropped beyond the maximum. */
export function withSnoozed(cookie: string | undefined, id: string, until: Date, now: Date): string {
  const snoozed = snoozedProposals(cookie, now);
  snoozed.delete(id);
  const kept = [...snoozed].slice(-(MAX_SNOOZED - 1));
  return [...kept, [id, until.getTime()] as const].map(([proposal, time]) => `${proposal}:${time}`).join('_');
}
