import { NO_PROJECT, projectName } from '../../capture/report/agent-name.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { optional } from '../../platform/base/optional.js';
import { newEntry } from '../entries/entry.js';
import { hitOf } from '../entries/entry-search.js';
import { SessionMemoryError } from '../entries/session-memory.errors.js';
import type { EntryProvenance, SessionEntry } from '../entries/session-memory.schema.js';
import type { StoredEntry, StoredHit } from './stored-session.schema.js';

/** A stored entry, as far as its reader needs it. */
export interface ReadEntry
  extends Omit<StoredEntry, 'provenance' | 'at' | 'updatedAt' | 'project' | 'figures' | 'warnings'> {
  readonly project: string | null;
  readonly writtenBy: 'agent' | 'rules' | 'model' | 'person';
  readonly writer: string | null;
  readonly figures: SessionEntry['figures'] | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The columns that hold who wrote an entry. */
export type WriterColumns = Pick<ReadEntry, 'writtenBy' | 'writer'>;

/** The name under which a model's summary is written if its caller gives none. */
const MODEL = 'model';
const RULES = 'rules';
export const BY_RULES: WriterColumns = { writtenBy: 'rules', writer: null };
/** Of the summary that an agent's program sent at the close of a session: a later close replaces it. */
export const BY_AGENT_AT_CLOSE: WriterColumns = { writtenBy: 'agent', writer: 'close' };

/** Who wrote it, for readers. An agent is always named by the credential that wrote the entry. */
function writerOf({ writtenBy, writer, agent }: ReadEntry): EntryProvenance {
  switch (writtenBy) {
    case 'agent':
      return { by: 'agent', name: agent };
    case 'rules':
      return { by: 'session', name: RULES };
    case 'model':
      return { by: 'session', name: writer ?? MODEL };
    case 'person':
      return { by: 'person', ...optional('name', writer ?? undefined) };
  }
}

export function writerColumns({ by, name }: EntryProvenance): WriterColumns {
  if (by === 'agent') return { writtenBy: 'agent', writer: null };
  if (by === 'person') return { writtenBy: 'person', writer: name ?? null };
  return name === undefined || name === RULES ? BY_RULES : { writtenBy: 'model', writer: name };
}

/** An entry for the pure functions of `entries`. */
export const entryOf = (row: ReadEntry): SessionEntry => ({
  id: row.id,
  kind: row.kind,
  content: row.content,
  tags: row.tags,
  pinned: row.pinned,
  provenance: writerOf(row),
  at: row.createdAt.toISOString(),
  session: row.session,
  ...optional('project', row.project ?? undefined),
  ...optional('figures', row.figures ?? undefined),
});

/** An entry as the API shows it. */
export const shownEntry = (row: ReadEntry): StoredEntry => ({
  id: row.id,
  agent: row.agent,
  kind: row.kind,
  content: row.content,
  tags: row.tags,
  pinned: row.pinned,
  provenance: writerOf(row),
  at: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  session: row.session,
  ...optional('project', row.project ?? undefined),
  ...optional('figures', row.figures ?? undefined),
});

export function shownHit(row: ReadEntry, now: Date, withBody: boolean): StoredHit {
  const {
    id,
    kind,
    tags,
    provenance,
    session = row.session,
    summary,
    ageDays = 0,
    content,
  } = hitOf(entryOf(row), now, withBody);
  return {
    id,
    agent: row.agent,
    kind,
    tags: [...tags],
    provenance,
    at: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    session,
    summary,
    ageDays,
    ...optional('project', row.project ?? undefined),
    ...optional('content', content),
  };
}

/** What makes two entries of a session the same. */
export const contentHash = ({ kind, content, tags }: Pick<SessionEntry, 'kind' | 'content' | 'tags'>): string =>
  sha256(canonicalJson({ kind, content, tags: [...tags].sort() }));

/** `newEntry` with the error of the API. */
export function checkedEntry(...call: Parameters<typeof newEntry>): SessionEntry {
  try {
    return newEntry(...call);
  } catch (error) {
    if (error instanceof SessionMemoryError) throw new DomainError('invalid', error.code, error.message, error.fields);
    throw error;
  }
}

/** A path, in the forms that programs give. `acme/shop` is a name. */
const PATH = /^[/~.]|\\|^[A-Za-z]:/;

/** The label of a project by the rule of hooks and imports: the last folder of a path, never a home folder. */
export function projectLabelOf(project: string | undefined): string | null {
  if (project === undefined || project === NO_PROJECT) return null;
  if (!PATH.test(project)) return project;
  const name = projectName(project);
  if (name !== NO_PROJECT) return name;
  const message = 'is a path without a name of a project';
  throw new DomainError('invalid', 'memory.invalid', `project: ${message}`, [{ field: 'project', message }]);
}
