import { Guildbook, GuildbookError, NoResponseError } from '../client/guildbook.js';
import { DAY_MS } from '../platform/base/durations.js';
import { optional } from '../platform/base/optional.js';
import { newEntry } from '../sessions/entries/entry.js';
import { type SessionMemoryCode, SessionMemoryError } from '../sessions/entries/session-memory.errors.js';
import type {
  NewSessionEntry,
  RecallOptions,
  SessionEntry,
  SessionHit,
  SessionMemory,
  SessionMemoryProblem,
  SessionOutcome,
  SessionOverview,
} from '../sessions/entries/session-memory.schema.js';
import type { StoredEntry } from '../sessions/store/stored-session.schema.js';
import { checkedRecall, type MemorySettings, SessionEnd } from './stored-session-memory.js';

export interface ServerMemorySettings extends MemorySettings {
  readonly server: string;
  readonly token: string;
  /** Of one call. Closing takes two, and the time of `summariser`. */
  readonly timeoutMs: number;
  readonly readOnly: boolean;
}

/** Codes of the server that this interface knows; every other refusal is `memory.refused`. */
const KNOWN: readonly SessionMemoryCode[] = ['memory.invalid', 'memory.full', 'memory.summary_edited'];
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The session memory on a server, which ranks, keeps the bounds, and shares the entries of a project among the agents of
 * one owner. The client validates and redacts before it sends anything, and writes the summary of a session.
 */
export class ServerSessionMemory implements SessionMemory {
  private readonly client: Guildbook;
  private readonly ofProject: { readonly project?: string };
  private readonly end: SessionEnd;
  private lastProblems: readonly SessionMemoryProblem[] = [];

  constructor(private readonly settings: ServerMemorySettings) {
    const { server, token, timeoutMs, session } = settings;
    this.client = new Guildbook({ server, token, timeoutMs, rateLimitWaitMs: timeoutMs });
    this.ofProject = optional('project', settings.project);
    this.end = new SessionEnd(settings, {
      entries: () => this.readSession(session),
      write: ({ summary: { text, tags }, figures, endedAt }) => {
        const summary = { text, tags: [...tags] };
        const ended = { startedAt: this.end.startedAt, endedAt, figures, summary, ...this.ofProject };
        return this.call(() => this.client.sessionMemory.close(session, ended));
      },
    });
  }

  async save(input: NewSessionEntry): Promise<SessionEntry> {
    const { clock, session, readOnly } = this.settings;
    if (readOnly) throw new SessionMemoryError('memory.read_only', 'the memory was opened to read only');
    this.end.requireOpen();
    const defaults = { at: clock.now().toISOString(), session };
    const { kind, content, tags, pinned, at = defaults.at } = newEntry(input, defaults);
    const entry = { kind, content, tags: [...tags], pinned, at, sessionId: session, ...this.ofProject };
    return entryOf(await this.call(() => this.client.sessionMemory.save(entry)));
  }

  async recall(query: string, options: RecallOptions = {}): Promise<SessionHit[]> {
    const { kinds, tags, limit, bodies } = checkedRecall(query, options);
    const filter = { ...optional('kinds', kinds), ...optional('tags', tags), ...this.ofProject };
    const asked = { query, ...filter, ...optional('limit', limit), ...optional('bodies', bodies) };
    const { items } = await this.call(() => this.client.sessionMemory.recall(asked));
    const now = this.settings.clock.now().getTime();
    return items.map(({ updatedAt: _, agent: __, content, project, ...hit }) => ({
      ...hit,
      ...optional('content', content),
      ...optional('project', project),
      ageDays: Math.max(0, Math.floor((now - Date.parse(hit.at)) / DAY_MS)),
    }));
  }

  async read(id: string): Promise<SessionEntry[]> {
    const one = UUID.test(id) ? await this.entryAt(id) : undefined;
    return one === undefined ? this.readSession(id) : [one];
  }

  async sessions(): Promise<SessionOverview[]> {
    const { items } = await this.call(() => this.client.sessionMemory.list(this.ofProject));
    return items.map(({ agent: _, about: __, at, project, figures, ...overview }) => ({
      ...overview,
      ...optional('at', at),
      ...optional('project', project),
      ...optional('figures', figures),
    }));
  }

  /** Empty if the server does not respond, so that the agent starts all the same; `problems` says so. */
  async preamble(): Promise<string> {
    const { bytes, sessions } = this.settings.preamble;
    this.lastProblems = [];
    try {
      return (await this.call(() => this.client.sessionMemory.preamble({ bytes, sessions, ...this.ofProject }))).text;
    } catch (error) {
      this.noteUnavailable(error);
      return '';
    }
  }

  problems(): readonly SessionMemoryProblem[] {
    return this.lastProblems;
  }

  async close(outcome: SessionOutcome = {}): Promise<void> {
    if (!this.settings.readOnly) await this.end.close(outcome);
  }

  /** Tells the server that a session starts, so that it summarises what was never closed. It need not respond. */
  async start(): Promise<void> {
    const { session: sessionId, readOnly } = this.settings;
    if (readOnly) return;
    try {
      await this.call(() => this.client.sessionMemory.start({ sessionId, ...this.ofProject }));
    } catch (error) {
      this.noteUnavailable(error);
    }
  }

  private async entryAt(id: string): Promise<SessionEntry | undefined> {
    try {
      return entryOf(await this.call(() => this.client.sessionMemory.show(id, this.ofProject)));
    } catch (error) {
      if (error instanceof SessionMemoryError && error.cause instanceof GuildbookError && isUnknown(error.cause))
        return;
      throw error;
    }
  }

  private async readSession(session: string): Promise<SessionEntry[]> {
    return (await this.call(() => this.client.sessionMemory.read(session, this.ofProject))).items.map(entryOf);
  }

  private noteUnavailable(error: unknown): void {
    if (!(error instanceof SessionMemoryError) || error.code !== 'memory.unavailable') throw error;
    this.lastProblems = [{ path: this.settings.server, problem: 'unavailable' }];
  }

  /** The errors of the client as those of a session memory. */
  private async call<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (cause) {
      if (cause instanceof NoResponseError)
        throw new SessionMemoryError('memory.unavailable', cause.message, [], { cause });
      if (!(cause instanceof GuildbookError)) throw cause;
      const { code, detail, errors = [] } = cause.problem;
      const known = KNOWN.find((one) => one === code) ?? 'memory.refused';
      throw new SessionMemoryError(known, known === code ? detail : `${code}: ${detail}`, errors, { cause });
    }
  }
}

const entryOf = ({ agent: _, updatedAt: __, project, figures, ...entry }: StoredEntry): SessionEntry => ({
  ...entry,
  ...optional('project', project),
  ...optional('figures', figures),
});

const isUnknown = ({ problem }: GuildbookError): boolean => problem.code === 'memory.unknown_entry';
