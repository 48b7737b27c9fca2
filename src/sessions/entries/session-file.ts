import { optional } from '../../platform/base/optional.js';
import { storedLine } from './entry.js';
import { type EntryPlace, parseEntry, renderParagraph } from './entry-block.js';
import {
  entriesUnder,
  entryOfNote,
  kindUnder,
  type Note,
  noteOf,
  renderSections,
  type Section,
  sectionsOf,
} from './markdown-sections.js';
import { SESSION_LIMITS, type SessionEntry, type SessionFigures, TAG } from './session-memory.schema.js';

/** The first line of a file whose session has no date. */
const NO_DATE = 'Session';
const MAX_FIELD = 500;

/** The content of a session file. */
export interface SessionDocument {
  /** The id in the file, or the path of a file that a person wrote. */
  readonly session: string;
  readonly project?: string;
  /** ISO 8601 in UTC, to the minute. Missing if neither the first line nor the name of the file has it. */
  readonly startedAt?: string;
  /** Only the end of a session writes tags and figures. They stay if a person deletes the summary. */
  readonly tags: readonly string[];
  readonly figures?: SessionFigures;
  readonly entries: readonly SessionEntry[];
  readonly notes: readonly Note[];
}

/** The name of the file of a session that started then: `2026-05-15-08h00`, without its ending. */
export const sessionFileName = (startedAt: string): string =>
  `${startedAt.slice(0, 10)}-${startedAt.slice(11, 13)}h${startedAt.slice(14, 16)}`;

/**
 * Renders a session file: date, tags, duration, turns and cost, then Summary, Decisions, Open threads, Facts,
 * Preferences and the sections of a person. A hidden line after each entry says who wrote it.
 */
export function renderSessionFile(document: SessionDocument, path: string): string {
  const { entries, notes, startedAt, project, session } = document;
  const summary = entries.find(({ kind }) => kind === 'session-summary');
  const rest = entries.filter((entry) => entry !== summary);
  const tags = summary?.tags ?? document.tags;
  const figures = summary?.figures ?? document.figures;
  const head = [
    `# ${startedAt === undefined ? NO_DATE : startedAt.slice(0, 16).replace('T', ' ')}`,
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(', ')}`]),
    ...(figures === undefined ? [] : [`duration: ${figuresText(figures)}`]),
    ...(project === undefined ? [] : [`project: ${project}`]),
    ...(session === path ? [] : [`session: ${session}`]),
  ].join('\n');
  const intro = notes.filter(({ heading }) => heading === '').map(({ text }) => text);
  const first = summary === undefined ? [] : [`## Summary\n\n${renderParagraph(summary)}`];
  return `${[head, ...intro, ...first, ...renderSections(rest, notes)].join('\n\n')}\n`;
}

/** Parses a session file, also one that a person wrote or changed. Any text is one: what is unknown becomes notes. */
export function parseSessionFile(text: string, path: string): SessionDocument {
  const [top, ...sections] = sectionsOf(text);
  const { fields, title, rest } = headOf(top?.lines ?? []);
  const startedAt = momentIn(title) ?? momentIn(path);
  const about = {
    session: fields.get('session') ?? path,
    ...optional('project', fields.get('project')),
    ...optional('startedAt', startedAt),
  };
  const head = {
    tags: tagsIn(fields.get('tags') ?? '').filter(isTag),
    ...optional('figures', figuresIn(fields.get('duration') ?? '')),
  };
  const all = sections.map((section) => contentOf(section, placeIn(about, path), head));
  const isOwnTitle = !PLAIN_TITLE.test(title) && title !== NO_DATE;
  const intro = noteOf({ heading: '', lines: [...(isOwnTitle ? [title] : []), ...rest] });
  return {
    ...about,
    ...head,
    entries: all.flatMap(({ entries }) => entries),
    notes: [...(intro === undefined ? [] : [intro]), ...all.flatMap(({ note }) => note ?? [])],
  };
}

type About = Pick<SessionDocument, 'session' | 'project' | 'startedAt'>;

const placeIn = ({ session, project, startedAt }: About, path: string): Omit<EntryPlace, 'kind'> => ({
  session,
  path,
  ...optional('project', project),
  ...optional('at', startedAt),
});

const FIELD = /^(tags|duration|project|session): (.*)$/;

/**
 * The first line, the lines `name: value` before the first section, and the other lines there. A line that is not fully
 * understood is among the others too: nothing is lost when the file is written.
 */
function headOf(lines: readonly string[]): { title: string; fields: Map<string, string>; rest: string[] } {
  const fields = new Map<string, string>();
  const [first = '', ...others] = lines.slice(
    Math.max(
      0,
      lines.findIndex((line) => line.trim() !== ''),
    ),
  );
  const isTitle = first.startsWith('# ');
  const rest = (isTitle ? others : [first, ...others]).filter((line) => {
    const [, name = '', value = ''] = FIELD.exec(line) ?? [];
    const text = storedLine(value).slice(0, MAX_FIELD);
    if (text === '' || fields.has(name) || (name === 'duration' && figuresIn(text) === undefined)) return true;
    fields.set(name, text);
    return name === 'tags' && !tagsIn(text).every(isTag);
  });
  return { title: isTitle ? first.slice(2).trim() : '', fields, rest };
}

function contentOf(
  section: Section,
  place: Omit<EntryPlace, 'kind'>,
  head: Parameters<typeof parseEntry>[2],
): { entries: SessionEntry[]; note?: Note } {
  if (section.heading.toLowerCase() === 'summary') {
    const summary = parseEntry(section.lines, { ...place, kind: 'session-summary' }, head);
    return { entries: summary === undefined ? [] : [summary] };
  }
  const kind = kindUnder(section.heading);
  if (kind !== undefined) return { entries: entriesUnder(section, { ...place, kind }) };
  return { entries: [], ...optional('note', noteOf(section)) };
}

const PLAIN_TITLE = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/;
const MOMENT = /(\d{4}-\d{2}-\d{2})[- T](\d{2})[:h](\d{2})/;

function momentIn(text: string): string | undefined {
  const [, day, hour, minute] = MOMENT.exec(text) ?? [];
  const moment = `${day}T${hour}:${minute}:00.000Z`;
  return Number.isNaN(Date.parse(moment)) ? undefined : moment;
}

const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(',')
      .map((tag) => tag.trim().replace(/\s+/g, '-')),
  ),
];
const isTag = (tag: string, at: number): boolean =>
  TAG.test(tag) && tag.length <= SESSION_LIMITS.tag && at < SESSION_LIMITS.tags;

function figuresText({ durationMinutes, turns, costUsd }: SessionFigures): string {
  return [
    countText(durationMinutes, 'minute'),
    ...(turns === undefined ? [] : [countText(turns, 'turn')]),
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(4)}`]),
  ].join(' · ');
}

const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Undefined without minutes. The other figures may be missing. */
function figuresIn(text: string): SessionFigures | undefined {
  const number = (pattern: RegExp): number | undefined => {
    const digits = pattern.exec(text)?.[1];
    return digits === undefined ? undefined : Number(digits);
  };
  const durationMinutes = number(/\b(\d{1,7}) minutes?\b/);
  if (durationMinutes === undefined) return undefined;
  return {
    durationMinutes,
    ...optional('turns', number(/\b(\d{1,7}) turns?\b/)),
    ...optional('costUsd', number(/\$(\d{1,7}(?:\.\d{1,4})?)\b/)),
  };
}

/** All entries of a file for a reader, the notes of a person included. */
export function readableEntries(document: SessionDocument, path: string): SessionEntry[] {
  const place = placeIn(document, path);
  return [...document.entries, ...document.notes.flatMap((note) => entryOfNote(note, place) ?? [])];
}
