import { type Clock, SystemClock } from '../platform/base/clock.js';
import { SECOND_MS } from '../platform/base/durations.js';
import { type Ids, RandomIds } from '../platform/base/ids.js';
import { optional } from '../platform/base/optional.js';
import { PREAMBLE } from '../sessions/entries/preamble.js';
import { invalidFields } from '../sessions/entries/session-memory.errors.js';
import type { SessionMemory } from '../sessions/entries/session-memory.schema.js';
import { NO_STORE } from './entry-store.js';
import { FILE_FORMATS, FileStore } from './file-store.js';
import { MemoryFolder } from './memory-folder.js';
import { ServerSessionMemory } from './server-session-memory.js';
import { checkedName, StoredSessionMemory } from './stored-session-memory.js';
import type { Summariser } from './summariser.js';

export { fencedHits } from '../sessions/entries/preamble.js';
export { type SessionMemoryCode, SessionMemoryError } from '../sessions/entries/session-memory.errors.js';
export type {
  EntryKind,
  EntryProvenance,
  NewSessionEntry,
  RecallOptions,
  SessionEntry,
  SessionFigures,
  SessionHit,
  SessionMemory,
  SessionMemoryProblem,
  SessionOutcome,
  SessionOverview,
  SummaryMaterial,
  SummaryText,
} from '../sessions/entries/session-memory.schema.js';

/** The stores in files. `session-files` has one Markdown file for each session, the others one file for all. */
export const FILE_STORES = ['markdown', 'session-files', 'jsonl'] as const;
/** All stores by name. */
export const SESSION_STORES = ['none', ...FILE_STORES, 'server'] as const;
export type SessionStoreName = (typeof SESSION_STORES)[number];

const SUMMARISE_MS = 10 * SECOND_MS;
const SERVER_MS = 5 * SECOND_MS;

export interface SessionMemoryOptions {
  /** `session-files` without this. */
  readonly store?: SessionStoreName;
  /**
   * The folder of the memory, by its real path: symbolic links in it are refused. Take it from your program, never from a
   * file of the project that the agent works on. Only for the stores in files.
   */
  readonly folder?: string;
  /** The address of the server, and the token of the agent on it. Only for `server`. */
  readonly server?: string;
  readonly token?: string;
  /** The longest time that one call waits for the server, in milliseconds; 5,000 without this. */
  readonly serverTimeoutMs?: number;
  /** The entries of this project, and those without one, are recalled. Without it, all are. */
  readonly project?: string;
  /** The name of the agent, for the provenance of its entries. */
  readonly agent?: string;
  /** Identifies the session in the memory. A new one without it. */
  readonly session?: string;
  /** Maximum size of the preamble in bytes, 1,024 without this. */
  readonly preambleBytes?: number;
  /** Maximum number of session summaries in the preamble, 5 without this. */
  readonly preambleSessions?: number;
  /** Writes the summary at the end instead of the rules, within `summariseTimeoutMs` (10,000 without this). */
  readonly summarise?: Summariser['summarise'];
  readonly summariseTimeoutMs?: number;
  /** Reads only: `save` and `close` are refused, and nothing in the folder is created, repaired or summarised. */
  readonly readOnly?: boolean;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/**
 * Opens a session memory: in files on this machine, without a server, or on the server. Summarises earlier sessions that
 * ended without a summary. Rejects with `memory.invalid` for an option, and with `memory.redirected` if the folder is
 * reached through a link. A server need not respond.
 */
export async function openSessionMemory(options: SessionMemoryOptions): Promise<SessionMemory> {
  const { store = 'session-files', clock = new SystemClock(), ids = new RandomIds(), readOnly = false } = options;
  const { agent, project, session = ids.uuid(), summarise } = options;
  const names = {
    session: checkedName('session', session),
    ...(agent === undefined ? {} : { agent: checkedName('agent', agent) }),
    ...(project === undefined ? {} : { project: checkedName('project', project) }),
  };
  const { preambleBytes: bytes = PREAMBLE.bytes, preambleSessions: sessions = PREAMBLE.sessions } = options;
  const kept = { ...names, clock, preamble: { bytes, sessions } };
  if (store === 'none') return new StoredSessionMemory(NO_STORE, kept);
  const { summariseTimeoutMs: timeoutMs = SUMMARISE_MS } = options;
  const settings = { ...kept, ...optional('summariser', summarise && { summarise, timeoutMs }) };
  if (store === 'server') {
    const memory = new ServerSessionMemory({
      ...settings,
      readOnly,
      server: needed(options, 'server'),
      token: needed(options, 'token'),
      timeoutMs: options.serverTimeoutMs ?? SERVER_MS,
    });
    await memory.start();
    return memory;
  }
  const folder = await MemoryFolder.open(needed(options, 'folder'), { ids, readOnly });
  const memory = new StoredSessionMemory(new FileStore(folder, FILE_FORMATS[store]()), settings);
  if (!readOnly) await memory.summariseMissing();
  return memory;
}

function needed(options: SessionMemoryOptions, field: 'folder' | 'server' | 'token'): string {
  const value = options[field];
  if (value !== undefined) return value;
  throw invalidFields([{ field, message: `is needed for ${options.store ?? 'session-files'}` }]);
}
