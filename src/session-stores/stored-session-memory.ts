import type { Clock } from '../platform/base/clock.js';
import { optional } from '../platform/base/optional.js';
import { type EntryDefaults, newEntry, parseInput, withId } from '../sessions/entries/entry.js';
import { hitOf, newestFirst, passes, rankEntries } from '../sessions/entries/entry-search.js';
import { type PreambleSettings, preambleOf } from '../sessions/entries/preamble.js';
import { invalidFields, SessionMemoryError } from '../sessions/entries/session-memory.errors.js';
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
  type SummaryText,
} from '../sessions/entries/session-memory.schema.js';
import { overviewsOf } from '../sessions/entries/session-overview.js';
import { summaryByRules } from '../sessions/entries/session-summary.js';
import { type EntryStore, lacksSummary, type SessionReference, type StoredEntries } from './entry-store.js';
import { figuresOf } from './session-figures.js';
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
  private lastProblems: readonly SessionMemoryProblem[] = [];
  private closing: Promise<void> | undefined;

  constructor(
    private readonly store: EntryStore,
    private readonly settings: MemorySettings,
  ) {
    const { session, project, clock } = settings;
    this.reference = { session, startedAt: clock.now().toISOString(), ...optional('project', project) };
  }

  async save(input: NewSessionEntry): Promise<SessionEntry> {
    if (this.closing) throw new SessionMemoryError('memory.closed', 'the memory of this session is closed');
    const entry = newEntry(input, this.defaults());
    await this.store.change(this.reference, (entries) => withSaved(entries, entry));
    return entry;
  }

  async recall(query: string, options: RecallOptions = {}): Promise<SessionHit[]> {
    const { limit = DEFAULT_LIMIT, bodies = false, kinds, tags } = parseInput(RecallOptions, options);
    if (query.length > SESSION_LIMITS.query)
      throw invalidFields([{ field: 'query', message: `has more than ${SESSION_LIMITS.query} characters` }]);
    const { entries } = await this.load();
    const filter = { ...this.ofProject(), ...optional('kinds', kinds), ...optional('tags', tags) };
    const found = rankEntries(
      entries.filter((entry) => passes(entry, filter)),
      query,
      limit,
    );
    return found.map((entry) => hitOf(entry, this.settings.clock.now(), bodies));
  }

  async read(id: string): Promise<SessionEntry[]> {
    const own = (await this.load()).entries.filter((entry) => passes(entry, this.ofProject()));
    const one = own.find((entry) => entry.id === id);
    return one === undefined ? own.filter(({ session, path }) => session === id || path === id) : [one];
  }

  async sessions(): Promise<SessionOverview[]> {
    return overviewsOf((await this.load()).entries.filter((entry) => passes(entry, this.ofProject())));
  }

  async preamble(): Promise<string> {
    const { entries } = await this.load();
    return preambleOf(entries, { ...this.settings.preamble, ...this.ofProject() });
  }

  problems(): readonly SessionMemoryProblem[] {
    return this.lastProblems;
  }

  async close(outcome: SessionOutcome = {}): Promise<void> {
    parseInput(CheckedOutcome, { turns: outcome.turns, costUsd: outcome.costUsd, report: outcome.report });
    this.closing ??= this.summarise(outcome).catch((error: unknown) => {
      // The caller may try again.
      this.closing = undefined;
      throw error;
    });
    return this.closing;
  }

  /** Summarises the sessions whose process died before they were closed. */
  async summariseMissing(): Promise<void> {
    const { unsummarised } = await this.load();
    for (const reference of unsummarised) {
      if (reference.session === this.settings.session) continue;
      await this.store.change(reference, (entries) => {
        if (!lacksSummary(entries)) return entries;
        const { text, tags } = summaryByRules(entries, {});
        return withSummary(entries, summaryEntry({ text, tags }, reference, lastOf(entries, reference), RULES));
      });
    }
  }

  private async summarise(outcome: SessionOutcome): Promise<void> {
    const { session } = this.reference;
    const entries = (await this.load()).entries.filter((entry) => entry.session === session);
    if (entries.length === 0 && Object.keys(outcome).length === 0) return;
    const draft = summaryByRules(
      entries.filter(({ kind }) => kind !== 'session-summary'),
      outcome,
    );
    const written = await summaryWithin(this.settings.summariser, { ...outcome, entries, draft });
    const endedAt = this.settings.clock.now().toISOString();
    const figures = figuresOf(this.reference.startedAt, endedAt, outcome);
    const summary = summaryEntry(written ?? draft, this.reference, endedAt, written ? MODEL : RULES, figures);
    await this.store.change(this.reference, (now) => withSummary(now, summary));
  }

  private async load(): Promise<StoredEntries> {
    const stored = await this.store.load();
    this.lastProblems = stored.problems;
    return stored;
  }

  private defaults(): EntryDefaults {
    const { clock, agent, session, project } = this.settings;
    return { at: clock.now().toISOString(), session, ...optional('agent', agent), ...optional('project', project) };
  }

  private ofProject(): { project?: string } {
    return optional('project', this.settings.project);
  }
}

/** Names in the provenance of a summary. */
const RULES = 'rules';
const MODEL = 'summarise';

function withSaved(entries: readonly SessionEntry[], entry: SessionEntry): readonly SessionEntry[] {
  if (entries.some(({ id }) => id === entry.id)) return entries;
  if (entries.length >= SESSION_LIMITS.entriesOfSession)
    throw new SessionMemoryError('memory.full', `a session has at most ${SESSION_LIMITS.entriesOfSession} entries`, [
      { field: 'content', message: `is entry ${SESSION_LIMITS.entriesOfSession + 1} of the session` },
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

function summaryEntry(
  { text, tags }: SummaryText,
  { session, project, startedAt }: SessionReference,
  at: string,
  name: string,
  figures = figuresOf(startedAt, at, {}),
): SessionEntry {
  return withId({
    kind: 'session-summary',
    content: text,
    tags,
    at,
    session,
    figures,
    pinned: false,
    provenance: { by: 'session', name },
    ...optional('project', project),
  });
}

/** The time of the newest entry, at which the session was last seen. */
const lastOf = (entries: readonly SessionEntry[], { startedAt }: SessionReference): string =>
  newestFirst(entries.filter(({ at }) => at !== undefined))[0]?.at ?? startedAt;
