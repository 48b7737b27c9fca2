import type { Clock } from '../platform/base/clock.js';
import { optional } from '../platform/base/optional.js';
import { newEntry, withId } from '../sessions/entries/entry.js';
import { hitOf, newestFirst, passes, rankEntries } from '../sessions/entries/entry-search.js';
import { type PreambleSettings, preambleOf } from '../sessions/entries/preamble.js';
import { SessionMemoryError } from '../sessions/entries/session-memory.errors.js';
import {
  type NewSessionEntry,
  type RecallOptions,
  SESSION_LIMITS,
  type SessionEntry,
  type SessionHit,
  type SessionMemory,
  type SessionMemoryProblem,
  type SessionOutcome,
  type SessionOverview,
} from '../sessions/entries/session-memory.schema.js';
import { overviewsOf } from '../sessions/entries/session-overview.js';
import { summaryByRules } from '../sessions/entries/session-summary.js';
import { checkedRecall } from './checked-input.js';
import { type EntryStore, lacksSummary, type SessionReference } from './entry-store.js';
import { type EndedSession, figuresOf, SessionEnd } from './session-end.js';
import type { Summariser } from './summariser.js';

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
