import { z } from 'zod';
import { optional } from '../../platform/base/optional.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { isPinnedKind, withId } from './entry.js';
import { asRead } from './entry-block.js';
import {
  EntryKind,
  EntryProvenance,
  SESSION_LIMITS,
  type SessionEntry,
  SessionFigures,
  TAG,
} from './session-memory.schema.js';

/** One line of a JSON Lines file. */
const EntryLine = z.strictObject({
  kind: EntryKind,
  content: z.string().trim().min(1).max(SESSION_LIMITS.content),
  tags: z.array(z.string().regex(TAG).max(SESSION_LIMITS.tag)).max(SESSION_LIMITS.tags).default([]),
  at: z.iso.datetime().optional(),
  provenance: EntryProvenance.default({ by: 'person' }),
  pinned: z.boolean().optional(),
  project: z.string().trim().min(1).max(SESSION_LIMITS.name).optional(),
  session: z.string().trim().min(1).max(SESSION_LIMITS.name).optional(),
  figures: SessionFigures.optional(),
  /** The `id` under which the entry was written. */
  check: z.string().optional(),
});

export function renderLine({ id, path: _path, ...entry }: SessionEntry): string {
  return JSON.stringify({ ...entry, check: id });
}

/** Undefined for a damaged line. A line that says something else than its check was made for is a person's. */
export function parseLine(line: string, path: string): SessionEntry | undefined {
  const parsed = EntryLine.safeParse(parseJson(line));
  if (!parsed.success) return undefined;
  const { check, at, project, session, figures, pinned, ...rest } = parsed.data;
  const entry = withId({
    ...rest,
    pinned: pinned ?? isPinnedKind(rest.kind),
    ...optional('at', at),
    ...optional('project', project),
    ...optional('session', session),
    ...optional('figures', figures),
    path,
  });
  return asRead(entry, check === entry.id);
}
