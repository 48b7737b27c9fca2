import type { z } from 'zod';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { optional } from '../../platform/base/optional.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { oneLine } from '../../untrusted/text/plain-text.js';
import { invalidFields } from './session-memory.errors.js';
import { type EntryKind, NewSessionEntry, SESSION_LIMITS, type SessionEntry } from './session-memory.schema.js';

/** Where and by whom an entry is written, for what its caller leaves out. */
export interface EntryDefaults {
  readonly at: string;
  readonly agent?: string;
  readonly session: string;
  readonly project?: string;
}

type Unnamed = Omit<SessionEntry, 'id'>;

const CHECK_DIGITS = 16;

/**
 * The hash of what an entry says and who said it, as 16 hex digits. It recognises edits in a file; it is no signature:
 * a writer of the file can compute it.
 */
export function checkOf({ kind, content, tags, at, provenance, pinned, figures }: Unnamed): string {
  const said = { kind, content, tags, at, provenance, pinned, figures };
  return sha256(canonicalJson(said)).slice(0, CHECK_DIGITS);
}

export const withId = (entry: Unnamed): SessionEntry => ({ ...entry, id: checkOf(entry) });

/** Facts and preferences are for every session; the other kinds are found by a recall. */
export const isPinnedKind = (kind: EntryKind): boolean => kind === 'fact' || kind === 'preference';

/** Redacted text as entries hold it: no white space at the ends of lines, which editors remove. */
export function storedText(text: string): string {
  const lines = redact(text).text.split('\n');
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

/** Redacted text on one line. */
export const storedLine = (text: string): string => oneLine(redact(text).text);

/** Returns the entry to store. Throws `memory.invalid` with every field that breaks a limit. */
export function newEntry(input: NewSessionEntry, defaults: EntryDefaults): SessionEntry {
  const { kind, content, tags = [], at, provenance, pinned } = parseInput(NewSessionEntry, input);
  const text = storedText(content);
  if (text === '') throw invalidFields([{ field: 'content', message: 'is empty' }]);
  const most = kind === 'session-summary' ? SESSION_LIMITS.summary : SESSION_LIMITS.content;
  if (text.length > most) throw invalidFields([{ field: 'content', message: `has more than ${most} characters` }]);
  refuseSecrets(tags);
  return withId({
    kind,
    content: text,
    tags: [...new Set(tags)],
    at: at ?? defaults.at,
    provenance: writerOf(provenance, defaults.agent),
    pinned: isPinnedKind(kind) && pinned !== false,
    session: defaults.session,
    ...optional('project', defaults.project),
  });
}

function writerOf(given: NewSessionEntry['provenance'], agent: string | undefined): SessionEntry['provenance'] {
  const { by, name } = given ?? { by: 'agent', ...optional('name', agent) };
  const clean = name === undefined ? '' : storedLine(name);
  return { by, ...(clean === '' ? {} : { name: clean }) };
}

/** A tag is an index term: a marker in its place would say nothing. */
function refuseSecrets(tags: readonly string[]): void {
  const secret = tags.findIndex((tag) => redact(tag).redactions.length > 0);
  if (secret >= 0) throw invalidFields([{ field: `tags.${secret}`, message: 'looks like a secret' }]);
}

/** Parses the input of a caller. Throws `memory.invalid` with the dotted path of every wrong field. */
export function parseInput<S extends z.ZodType>(schema: S, input: z.input<S>): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalidFields(
    parsed.error.issues.flatMap(({ path, message, ...issue }) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ field: [...path, key].join('.'), message: 'is not a known field' }))
        : [{ field: path.join('.') || 'entry', message }],
    ),
  );
}
