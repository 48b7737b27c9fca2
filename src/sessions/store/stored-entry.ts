import { z } from 'zod';
import { NO_PROJECT, projectName } from '../../capture/report/agent-name.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { optional } from '../../platform/base/optional.js';
import { newEntry } from '../entries/entry.js';
import { hitOf } from '../entries/entry-search.js';
import { SessionMemoryError } from '../entries/session-memory.errors.js';
import {
  EntryKind,
  type EntryProvenance,
  type SessionEntry,
  SessionFigures,
} from '../entries/session-memory.schema.js';
import type { StoredEntry, StoredHit } from './stored-session.schema.js';

export const EntryRow = z.object({
  id: z.uuid(),
  agentId: z.uuid(),
  agent: z.string(),
  project: z.string().nullable(),
  session: z.string(),
  kind: EntryKind,
  content: z.string(),
  tags: z.array(z.string()),
  pinned: z.boolean(),
  writtenBy: z.enum(['agent', 'rules', 'model', 'person']),
  writer: z.string().nullable(),
  figures: SessionFigures.nullable(),
  contentSha256: z.string(),
  createdAt: z.date(),
  updatedAt: z.date(),
});
/** A live entry with the name of its agent. */
export type EntryRow = z.infer<typeof EntryRow>;

/** The columns that hold who wrote an entry. */
export type WriterColumns = Pick<EntryRow, 'writtenBy' | 'writer'>;

/** The name under which a model's summary is written if its caller gives none. */
const MODEL = 'model';
const RULES = 'rules';
export const BY_RULES: WriterColumns = { writtenBy: 'rules', writer: null };
/** Of the summary that an agent's program sent at the close of a session: a later close replaces it. */
export const BY_AGENT_AT_CLOSE: WriterColumns = { writtenBy: 'agent', writer: 'close' };

/** Who wrote it, for readers. An agent is always named by the credential that wrote the entry. */
function writerOf({ writtenBy, writer, agent }: EntryRow): EntryProvenance {
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
export const entryOf = (row: EntryRow) => ({
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

const shownRow = ({ agent, updatedAt }: EntryRow) => ({ agent, updatedAt: updatedAt.toISOString() });

/** An entry as the API shows it. */
export const shownEntry = (row: EntryRow): StoredEntry => ({ ...entryOf(row), ...shownRow(row) });

export function shownHit(row: EntryRow, now: Date, withBody: boolean): StoredHit {
  const entry = entryOf(row);
  const { tags: _, path: __, ageDays = 0, ...hit } = hitOf(entry, now, withBody);
  return { ...hit, ...shownRow(row), tags: entry.tags, at: entry.at, session: entry.session, ageDays };
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
