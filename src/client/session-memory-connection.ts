import type { z } from 'zod';
import type {
  EditEntry,
  NewStoredEntry,
  PreambleQuery,
  SessionClose,
  SessionQuery,
  SessionRecall,
  SessionStart,
  StartedSession,
  StoredEntry,
  StoredEntryList,
  StoredHitList,
  StoredPreamble,
  StoredSessionList,
} from '../sessions/store/stored-session.schema.js';
import { Connection } from './connection.js';

/** The part of the API about session memory. */
export class SessionMemoryConnection extends Connection {
  /** What agents keep from session to session. Agents use their own; a person names the agent. */
  readonly sessionMemory = {
    save: (entry: z.input<typeof NewStoredEntry>) =>
      this.call<StoredEntry>('POST', '/v1/session-memory/entries', entry),
    recall: (request: z.input<typeof SessionRecall> = {}) =>
      this.call<StoredHitList>('POST', '/v1/session-memory/recall', request),
    preamble: (query: PreambleQuery = {}) =>
      this.call<StoredPreamble>('GET', '/v1/session-memory/preamble', undefined, { ...query }),
    list: (query: SessionQuery = {}) =>
      this.call<StoredSessionList>('GET', '/v1/session-memory/sessions', undefined, { ...query }),
    start: (start: SessionStart) => this.call<StartedSession>('POST', '/v1/session-memory/sessions', start),
    read: (session: string, query: SessionQuery = {}) =>
      this.call<StoredEntryList>('GET', `/v1/session-memory/sessions/${encodeURIComponent(session)}`, undefined, {
        ...query,
      }),
    close: (session: string, close: z.input<typeof SessionClose>) =>
      this.call<void>('POST', `/v1/session-memory/sessions/${encodeURIComponent(session)}/close`, close),
    show: (id: string, query: SessionQuery = {}) =>
      this.call<StoredEntry>('GET', `/v1/session-memory/entries/${encodeURIComponent(id)}`, undefined, { ...query }),
    edit: (id: string, change: z.input<typeof EditEntry>) =>
      this.call<StoredEntry>('PUT', `/v1/session-memory/entries/${encodeURIComponent(id)}`, change),
    delete: (id: string, reason: string) =>
      this.call<void>('POST', `/v1/session-memory/entries/${encodeURIComponent(id)}/delete`, { reason }),
  };
}
