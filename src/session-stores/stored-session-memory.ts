import type { Clock } from '../platform/base/clock.js';
import { optional } from '../platform/base/optional.js';
import { newEntry, parseInput, storedLine, withId } from '../sessions/entries/entry.js';
import { hitOf, newestFirst, passes, rankEntries } from '../sessions/entries/entry-search.js';
import { type PreambleSettings, preambleOf } from '../sessions/entries/preamble.js';
import { invalidFields, SessionMemoryError } from '../sessions/entries/session-memory.errors.js';
import {
  CheckedOutcome,
  type NewSessionEntry,
  RecallOptions,
  SESSION_LIMITS,
  type SessionEntry,
  type SessionFigures,
  type SessionHit,
  type SessionMemory,
  type SessionMemoryProblem,
  type SessionOutcome,
  type SessionOverview,
  type SummaryText,
} from '../sessions/entries/session-memory.schema.js';
import { durationOf, overviewsOf } from '../sessions/entries/session-overview.js';
import { summaryByRules } from '../sessions/entries/session-summary.js';
import { type EntryStore, lacksSummary, type SessionReference } from './entry-store.js';
import { type Summariser, summaryWithin } from './summariser.js';

const DEFAULT_LIMIT = 10;

export interface MemorySettings {
  readonly clock: Clock;
  readonly session: string;
  readonly agent?: string;
  readonly project?: string;
  readonly preamble: PreambleSettings;
  readonly summariser?: Summariser;
}

/** The session memory over any store: it validates, redacts, ranks and summarises. The store only keeps entries. */
export class StoredSessionMemory implements SessionMemory {
  private readonly reference: SessionReference;
  private readonly ofProject: { readonly project?: string };
  private readonly end: SessionEnd;
  private lastProblems: readonly SessionMemoryProblem[] = [];

  constructor(
    private readonly store: EntryStore,
    private readonly settings: MemorySettings,
  ) {
    const { session } = settings;
    this.ofProject = optional('project', settings.project);
    this.end = new SessionEnd(settings, {
      entries: async () => (await this.load()).filter((entry) => entry.session === session),
      write: (ended) =>
        this.store.change(this.reference, (now) => withSummary(now, summaryEntry(ended, this.reference))),
    });
    this.reference = { session, startedAt: this.end.startedAt, ...this.ofProject };
  }

  async save(input: NewSessionEntry): Promise<SessionEntry> {
    this.end.requireOpen();
    const { clock, agent, session } = this.settings;
    const at = clock.now().toISOString();
    const entry = newEntry(input, { at, session, ...optional('agent', agent), ...this.ofProject });
    await this.store.change(this.reference, (entries) => withSaved(entries, entry));
    return entry;
  }

  async recall(query: string, options: RecallOptions = {}): Promise<SessionHit[]> {
    const { limit = DEFAULT_LIMIT, bodies = false, kinds, tags } = checkedRecall(query, options);
    const filter = { ...optional('kinds', kinds), ...optional('tags', tags) };
    const candidates = (await this.own()).filter((entry) => passes(entry, filter));
    return rankEntries(candidates, query, limit).map((entry) => hitOf(entry, this.settings.clock.now(), bodies));
  }

  async read(id: string): Promise<SessionEntry[]> {
    const own = await this.own();
    const one = own.find((entry) => entry.id === id);
    return one === undefined ? own.filter(({ session, path }) => session === id || path === id) : [one];
  }

  async sessions(): Promise<SessionOverview[]> {
    return overviewsOf(await this.own());
  }

  async preamble(): Promise<string> {
    return preambleOf(await this.load(), { ...this.settings.preamble, ...this.ofProject });
  }

  problems(): readonly SessionMemoryProblem[] {
    return this.lastProblems;
  }

  close(outcome: SessionOutcome = {}): Promise<void> {
    return this.end.close(outcome);
  }

  /** Summarises the sessions whose process died before they were closed. */
  async summariseMissing(): Promise<void> {
    const { unsummarised } = await this.store.load();
    for (const reference of unsummarised) {
      if (reference.session === this.settings.session) continue;
      await this.store.change(reference, (entries) => {
        if (!lacksSummary(entries)) return entries;
        const endedAt = lastOf(entries, reference);
        const figures = figuresOf(reference.startedAt, endedAt);
        const ended = { summary: summaryByRules(entries, {}), by: 'rules', endedAt, figures } as const;
        return withSummary(entries, summaryEntry(ended, reference));
      });
    }
  }

  private async load(): Promise<readonly SessionEntry[]> {
    const { entries, problems } = await this.store.load();
    this.lastProblems = problems;
    return entries;
  }

  /** The entries of the project, and those without one. */
  private async own(): Promise<SessionEntry[]> {
    return (await this.load()).filter((entry) => passes(entry, this.ofProject));
  }
}

function withSaved(entries: readonly SessionEntry[], entry: SessionEntry): readonly SessionEntry[] {
  if (entries.some(({ id }) => id === entry.id)) return entries;
  const most = SESSION_LIMITS.entriesOfSession;
  if (entries.length >= most)
    throw new SessionMemoryError('memory.full', `a session has at most ${most} entries`, [
      { field: 'content', message: `is entry ${most + 1} of the session` },
    ]);
  if (entry.kind !== 'session-summary') return [...entries, entry];
  if (entries.some(({ kind, provenance }) => kind === entry.kind && provenance.by === 'person'))
    throw new SessionMemoryError('memory.summary_edited', 'a person has written the summary of this session', [
      { field: 'kind', message: 'is session-summary, and a person has written the summary of this session' },
    ]);
  return [...entries.filter(({ kind }) => kind !== entry.kind), entry];
}

/** A summary by the agent or a person stays; one by rules is replaced. */
function withSummary(entries: readonly SessionEntry[], summary: SessionEntry): readonly SessionEntry[] {
  const isAutomatic = ({ kind, provenance }: SessionEntry): boolean =>
    kind === 'session-summary' && provenance.by === 'session';
  const rest = entries.filter((entry) => !isAutomatic(entry));
  const own = rest.find(({ kind }) => kind === 'session-summary');
  if (own === undefined) return [...rest, summary];
  if (own.provenance.by === 'person' || summary.figures === undefined) return rest;
  const withFigures = withId({ ...own, figures: summary.figures });
  return rest.map((entry) => (entry === own ? withFigures : entry));
}

const summaryEntry = (
  { summary: { text, tags }, by, figures, endedAt }: EndedSession,
  { session, project }: SessionReference,
): SessionEntry =>
  withId({
    kind: 'session-summary',
    content: text,
    tags,
    at: endedAt,
    session,
    figures,
    pinned: false,
    provenance: { by: 'session', name: by },
    ...optional('project', project),
  });

/** The time of the newest entry, at which the session was last seen. */
const lastOf = (entries: readonly SessionEntry[], { startedAt }: SessionReference): string =>
  newestFirst(entries.filter(({ at }) => at !== undefined))[0]?.at ?? startedAt;

/** A name of an agent, project or session on one line, redacted. Throws `memory.invalid` for an empty or long one. */
export function checkedName(field: string, name: string): string {
  const line = storedLine(name);
  if (line === '') throw invalidFields([{ field, message: 'is empty' }]);
  requireShort(field, line, SESSION_LIMITS.name);
  return line;
}

/** The options of a recall. Throws `memory.invalid` for those, or a query, that break a limit. */
export function checkedRecall(query: string, options: RecallOptions) {
  requireShort('query', query, SESSION_LIMITS.query);
  return parseInput(RecallOptions, options);
}

function requireShort(field: string, text: string, most: number): void {
  if (text.length > most) throw invalidFields([{ field, message: `has more than ${most} characters` }]);
}

interface EndedSession {
  readonly summary: SummaryText;
  readonly by: 'rules' | 'summarise';
  readonly figures: SessionFigures;
  /** ISO 8601 in UTC. */
  readonly endedAt: string;
}

/** The end of a session, once: its summary, by the caller's function or by the rules. */
export class SessionEnd {
  readonly startedAt: string;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly settings: { readonly clock: Clock; readonly summariser?: Summariser },
    private readonly memory: {
      entries(): Promise<readonly SessionEntry[]>;
      write(ended: EndedSession): Promise<unknown>;
    },
  ) {
    this.startedAt = settings.clock.now().toISOString();
  }

  requireOpen(): void {
    if (this.closing) throw new SessionMemoryError('memory.closed', 'the memory of this session is closed');
  }

  async close(outcome: SessionOutcome): Promise<void> {
    parseInput(CheckedOutcome, { turns: outcome.turns, costUsd: outcome.costUsd, report: outcome.report });
    this.closing ??= this.summarise(outcome).catch((error: unknown) => {
      // The caller may try again.
      this.closing = undefined;
      throw error;
    });
    return this.closing;
  }

  private async summarise(outcome: SessionOutcome): Promise<void> {
    const entries = await this.memory.entries();
    if (entries.length === 0 && Object.keys(outcome).length === 0) return;
    const said = entries.filter(({ kind }) => kind !== 'session-summary');
    const draft = summaryByRules(said, outcome);
    const written = await summaryWithin(this.settings.summariser, { ...outcome, entries, draft });
    const endedAt = this.settings.clock.now().toISOString();
    const figures = figuresOf(this.startedAt, endedAt, outcome);
    await this.memory.write({ summary: written ?? draft, by: written ? 'summarise' : 'rules', figures, endedAt });
  }
}

/** Duration, turns and cost of a session, from its report as far as there is one. */
function figuresOf(
  startedAt: string,
  endedAt: string,
  { report, turns, costUsd }: SessionOutcome = {},
): SessionFigures {
  const [from, to] = report === undefined ? [startedAt, endedAt] : [report.startedAt, report.finishedAt];
  return {
    ...durationOf(new Date(from), new Date(to)),
    ...optional('turns', turns ?? report?.turnCount),
    ...optional('costUsd', costUsd === undefined ? undefined : Math.round(costUsd * 10_000) / 10_000),
  };
}
