import { Guildbook, GuildbookError, NoResponseError } from '../client/guildbook.js';
import type { Clock } from '../platform/base/clock.js';
import { DAY_MS } from '../platform/base/durations.js';
import { optional } from '../platform/base/optional.js';
import { newEntry, parseInput } from '../sessions/entries/entry.js';
import type { PreambleSettings } from '../sessions/entries/preamble.js';
import {
  invalidFields,
  type SessionMemoryCode,
  SessionMemoryError,
} from '../sessions/entries/session-memory.errors.js';
import {
  CheckedOutcome,
  type NewSessionEntry,
  RecallOptions,
  SESSION_LIMITS,
  type SessionEntry,
  type SessionHit,
  type SessionMemory,
  type SessionMemoryProblem,
  type SessionOutcome,
  type SessionOverview,
} from '../sessions/entries/session-memory.schema.js';
import { summaryByRules } from '../sessions/entries/session-summary.js';
import type { StoredEntry } from '../sessions/store/stored-session.schema.js';
import { figuresOf } from './session-figures.js';
import { type Summariser, summaryWithin } from './summariser.js';

export interface ServerMemorySettings {
  readonly server: string;
  readonly token: string;
  /** Of one call. Closing takes two, and the time of `summariser`. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly session: string;
  readonly project?: string;
  readonly preamble: PreambleSettings;
  readonly summariser?: Summariser;
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
  private readonly startedAt: string;
  private lastProblems: readonly SessionMemoryProblem[] = [];
  private closing: Promise<void> | undefined;

  constructor(private readonly settings: ServerMemorySettings) {
    const { server, token, timeoutMs, clock } = settings;
    this.client = new Guildbook({ server, token, timeoutMs, rateLimitWaitMs: timeoutMs });
    this.startedAt = clock.now().toISOString();
  }

  async save(input: NewSessionEntry): Promise<SessionEntry> {
    this.requireWritable();
    if (this.closing) throw new SessionMemoryError('memory.closed', 'the memory of this session is closed');
    const { clock, session, project } = this.settings;
    const at = clock.now().toISOString();
    const { kind, content, tags, pinned, at: saidAt } = newEntry(input, { at, session });
    const stored = await this.call(() =>
      this.client.sessionMemory.save({
        kind,
        content,
        tags: [...tags],
        pinned,
        sessionId: session,
        ...optional('at', saidAt),
        ...optional('project', project),
      }),
    );
    return entryOf(stored);
  }

  async recall(query: string, options: RecallOptions = {}): Promise<SessionHit[]> {
    const { kinds, tags, limit, bodies } = parseInput(RecallOptions, options);
    if (query.length > SESSION_LIMITS.query)
      throw invalidFields([{ field: 'query', message: `has more than ${SESSION_LIMITS.query} characters` }]);
    const { items } = await this.call(() =>
      this.client.sessionMemory.recall({
        query,
        ...this.ofProject(),
        ...optional('kinds', kinds),
        ...optional('tags', tags),
        ...optional('limit', limit),
        ...optional('bodies', bodies),
      }),
    );
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
    const { items } = await this.call(() => this.client.sessionMemory.list(this.ofProject()));
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
      return (await this.call(() => this.client.sessionMemory.preamble({ bytes, sessions, ...this.ofProject() }))).text;
    } catch (error) {
      this.noteUnavailable(error);
      return '';
    }
  }

  problems(): readonly SessionMemoryProblem[] {
    return this.lastProblems;
  }

  async close(outcome: SessionOutcome = {}): Promise<void> {
    parseInput(CheckedOutcome, { turns: outcome.turns, costUsd: outcome.costUsd, report: outcome.report });
    if (this.settings.readOnly) return;
    this.closing ??= this.summarise(outcome).catch((error: unknown) => {
      // The caller may try again.
      this.closing = undefined;
      throw error;
    });
    return this.closing;
  }

  /** Tells the server that a session starts, so that it summarises what was never closed. It need not respond. */
  async start(): Promise<void> {
    const { session: sessionId, readOnly } = this.settings;
    if (readOnly) return;
    try {
      await this.call(() => this.client.sessionMemory.start({ sessionId, ...this.ofProject() }));
    } catch (error) {
      this.noteUnavailable(error);
    }
  }

  private async summarise(outcome: SessionOutcome): Promise<void> {
    const { session, clock, summariser } = this.settings;
    const entries = await this.readSession(session);
    if (entries.length === 0 && Object.keys(outcome).length === 0) return;
    const draft = summaryByRules(
      entries.filter(({ kind }) => kind !== 'session-summary'),
      outcome,
    );
    const { text, tags } = (await summaryWithin(summariser, { ...outcome, entries, draft })) ?? draft;
    const endedAt = clock.now().toISOString();
    await this.call(() =>
      this.client.sessionMemory.close(session, {
        startedAt: this.startedAt,
        endedAt,
        figures: figuresOf(this.startedAt, endedAt, outcome),
        summary: { text, tags: [...tags] },
        ...this.ofProject(),
      }),
    );
  }

  private async entryAt(id: string): Promise<SessionEntry | undefined> {
    try {
      return entryOf(await this.call(() => this.client.sessionMemory.show(id, this.ofProject())));
    } catch (error) {
      if (error instanceof SessionMemoryError && error.cause instanceof GuildbookError && isUnknown(error.cause))
        return;
      throw error;
    }
  }

  private async readSession(session: string): Promise<SessionEntry[]> {
    return (await this.call(() => this.client.sessionMemory.read(session, this.ofProject()))).items.map(entryOf);
  }

  private ofProject(): { project?: string } {
    return optional('project', this.settings.project);
  }

  private requireWritable(): void {
    if (this.settings.readOnly) throw new SessionMemoryError('memory.read_only', 'the memory was opened to read only');
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
