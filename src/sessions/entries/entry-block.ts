import { z } from 'zod';
import { optional } from '../../platform/base/optional.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { isPinnedKind, storedText, withId } from './entry.js';
import {
  type EntryKind,
  EntryProvenance,
  SESSION_LIMITS,
  type SessionEntry,
  SessionFigures,
  TAG,
} from './session-memory.schema.js';

/** What surrounds an entry in a file says about it. */
export interface EntryPlace {
  readonly kind: EntryKind;
  readonly session?: string;
  readonly project?: string;
  readonly at?: string;
  readonly path?: string;
}

/** The hidden line after an entry. `check` recognises whether a person has changed the entry since. */
const Mark = z.object({
  ...EntryProvenance.shape,
  at: z.iso.datetime().optional(),
  tags: z.array(z.string().regex(TAG).max(SESSION_LIMITS.tag)).max(SESSION_LIMITS.tags).optional(),
  pinned: z.boolean().optional(),
  figures: SessionFigures.optional(),
  session: z.string().max(SESSION_LIMITS.name).optional(),
  project: z.string().max(SESSION_LIMITS.name).optional(),
  check: z.string(),
});
type Mark = z.infer<typeof Mark>;

const MARK = /^\s*<!-- guildbook (\{.*\}) -->$/;

/**
 * A line that would be a heading or a comment. Stored with a backslash before it, so that no entry can end its section
 * or forge the hidden line of another entry.
 */
const STRUCTURE = /^(\s*)(\\*(?:#|<!--))/;
const ESCAPED = /^(\s*)\\(\\*(?:#|<!--))/;

export const escapeLine = (line: string): string => line.replace(STRUCTURE, '$1\\$2');
const unescapeLine = (line: string): string => line.replace(ESCAPED, '$1$2');

export const isMark = (line: string): boolean => MARK.test(line);

/** Renders an entry as an item of a list. `named` says which of session and project the mark has to name. */
export function renderItem(entry: SessionEntry, named: { session?: true; project?: true } = {}): string {
  const [first = '', ...rest] = entry.content.split('\n').map(escapeLine);
  const lines = rest.map((line) => (line === '' ? '' : `  ${line}`));
  return [`- ${first}`, ...lines, `  ${renderMark(entry, named, true)}`].join('\n');
}

/** Renders an entry as a paragraph, for a section that holds only one. Its tags and figures are in the file's head. */
export const renderParagraph = (entry: SessionEntry): string =>
  [...entry.content.split('\n').map(escapeLine), renderMark(entry, {}, false)].join('\n');

function renderMark(entry: SessionEntry, named: { session?: true; project?: true }, isWhole: boolean): string {
  const { provenance, at, tags, pinned, figures, session, project, id } = entry;
  const mark: Mark = {
    ...provenance,
    ...optional('at', at),
    ...(isWhole && tags.length > 0 ? { tags: [...tags] } : {}),
    ...(pinned === isPinnedKind(entry.kind) ? {} : { pinned }),
    ...(isWhole ? optional('figures', figures) : {}),
    ...(named.session ? optional('session', session) : {}),
    ...(named.project ? optional('project', project) : {}),
    check: id,
  };
  // Inside the JSON, nothing may end the comment.
  const json = JSON.stringify(mark).replace(/[<>]|-(?=-)/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`);
  return `<!-- guildbook ${json} -->`;
}

/**
 * Parses the lines of one entry. An entry without its mark, or that says something else than its mark was made for, is
 * the person's who edited the file. Undefined without content.
 */
export function parseEntry(
  lines: readonly string[],
  place: EntryPlace,
  head: Pick<SessionEntry, 'figures'> & { readonly tags?: readonly string[] } = {},
): SessionEntry | undefined {
  const content = lines
    .filter((line) => !isMark(line))
    .map((line) => unescapeLine(line).trimEnd())
    .join('\n')
    .trim();
  if (content === '') return undefined;
  const mark = markOf(lines);
  const entry = withId({
    kind: place.kind,
    content,
    tags: head.tags ?? mark?.tags ?? [],
    ...optional('at', mark?.at ?? place.at),
    provenance: mark === undefined ? { by: 'person' } : writerIn(mark),
    pinned: mark?.pinned ?? isPinnedKind(place.kind),
    ...optional('session', place.session ?? mark?.session),
    ...optional('project', place.project ?? mark?.project),
    ...optional('path', place.path),
    ...optional('figures', head.figures ?? mark?.figures),
  });
  return asRead(entry, mark?.check === entry.id);
}

/** Returns an entry as a reader gets it: labelled as a person's if it was changed, and redacted by today's rules. */
export function asRead(entry: SessionEntry, isUnchanged: boolean): SessionEntry {
  const content = storedText(entry.content);
  if (isUnchanged) return { ...entry, content };
  return withId({ ...entry, content, provenance: { by: 'person' } });
}

const writerIn = ({ by, name }: Mark): SessionEntry['provenance'] => ({ by, ...optional('name', name) });

function markOf(lines: readonly string[]): Mark | undefined {
  const json = MARK.exec(lines.findLast(isMark) ?? '')?.[1];
  return json === undefined ? undefined : Mark.safeParse(parseJson(json)).data;
}

/**
 * Splits the lines of a section into its items. An item starts with `- ` or `* `, or with text after a mark or a blank
 * line; its other lines are indented. Text of a person that follows other rules is an item as well: nothing is lost.
 */
export function itemsOf(lines: readonly string[]): string[][] {
  const items: string[][] = [];
  let isOpen = false;
  let wasBlank = true;
  for (const line of lines) {
    const isBlank = line.trim() === '';
    const isIndented = /^\s/.test(line) || isMark(line);
    const starts = /^[-*] /.test(line) || (!isBlank && (!isOpen || (wasBlank && !isIndented)));
    if (starts) {
      items.push([line.replace(/^[-*] /, '')]);
      isOpen = true;
    } else if (isOpen) items.at(-1)?.push(line.replace(/^ {1,2}/, ''));
    if (isMark(line)) isOpen = false;
    wasBlank = isBlank;
  }
  return items;
}
