import { MINUTE_MS } from '../../platform/base/durations.js';
import { optional } from '../../platform/base/optional.js';
import { clip } from '../../untrusted/text/clip.js';
import { HIT_SUMMARY, newestFirst } from './entry-search.js';
import type { SessionEntry, SessionFigures, SessionOverview } from './session-memory.schema.js';

const MAX_MINUTES = 1_000_000;

/** How long a session took. */
export const durationOf = (from: Date, to: Date): SessionFigures => ({
  durationMinutes: Math.min(MAX_MINUTES, Math.max(0, Math.round((to.getTime() - from.getTime()) / MINUTE_MS))),
});

/** The sessions of these entries, newest first. */
export function overviewsOf(entries: readonly SessionEntry[]): SessionOverview[] {
  const bySession = new Map<string, SessionEntry[]>();
  for (const entry of newestFirst(entries)) {
    const session = entry.session ?? entry.path ?? '';
    const own = bySession.get(session) ?? [];
    own.push(entry);
    bySession.set(session, own);
  }
  return [...bySession].map(([session, own]) => overviewOf(session, own));
}

function overviewOf(session: string, entries: readonly SessionEntry[]): SessionOverview {
  const summary = entries.find(({ kind }) => kind === 'session-summary');
  const [first] = entries;
  return {
    session,
    entries: entries.length,
    summary: clip((summary?.content ?? '').replace(/\s+/g, ' '), HIT_SUMMARY),
    tags: summary?.tags ?? [],
    ...optional('at', entries.findLast(({ at }) => at !== undefined)?.at),
    ...optional('project', first?.project),
    ...optional('path', first?.path),
    ...optional('figures', summary?.figures),
  };
}
