import { plainText } from '../../untrusted/text/plain-text.js';
import { storedText } from './entry.js';
import { type EntryPlace, itemsOf, parseEntry, renderItem } from './entry-block.js';
import type { EntryKind, SessionEntry } from './session-memory.schema.js';

/** The headings of both Markdown formats, in the order in which they are written. */
const HEADINGS: readonly (readonly [heading: string, kind: EntryKind])[] = [
  ['Session summaries', 'session-summary'],
  ['Decisions', 'decision'],
  ['Open threads', 'open-thread'],
  ['Facts', 'fact'],
  ['Preferences', 'preference'],
];

export interface Section {
  /** Empty for the lines before the first heading. */
  readonly heading: string;
  readonly lines: readonly string[];
}

/** Text of a person outside the known sections. It is found by a recall and written back as it is. */
export interface Note {
  readonly heading: string;
  readonly text: string;
}

/** Splits a file at its headings of the second level. The text is normalised as all text from outside. */
export function sectionsOf(text: string): Section[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: '', lines: [] }];
  for (const line of plainText(text).split('\n')) {
    const heading = /^## +(.*)$/.exec(line)?.[1]?.trim();
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ heading, lines: [] });
  }
  return sections;
}

/** The kind of the entries under this heading, without regard to case; undefined for a heading of a person. */
export const kindUnder = (heading: string): EntryKind | undefined =>
  HEADINGS.find(([known]) => known.toLowerCase() === heading.toLowerCase())?.[1];

/** The entries of a section that is a list. */
export const entriesUnder = ({ lines }: Section, place: EntryPlace): SessionEntry[] =>
  itemsOf(lines).flatMap((item) => parseEntry(item, place) ?? []);

/** A section of a person as a note; undefined if it has no text. */
export function noteOf({ heading, lines }: Section): Note | undefined {
  const text = storedText(lines.join('\n'));
  return text === '' ? undefined : { heading: storedText(heading), text };
}

/** A note as an entry, so that a recall finds it. */
export function entryOfNote({ heading, text }: Note, place: Omit<EntryPlace, 'kind'>): SessionEntry | undefined {
  const entry = parseEntry([...(heading === '' ? [] : [heading]), ...text.split('\n')], { ...place, kind: 'fact' });
  return entry === undefined ? undefined : { ...entry, pinned: false };
}

/** Renders the lists of entries and the notes. Each section ends without an empty line. */
export function renderSections(
  entries: readonly SessionEntry[],
  notes: readonly Note[],
  named: { session?: true; project?: true } = {},
): string[] {
  const lists = HEADINGS.flatMap(([heading, kind]) => {
    const items = entries.filter((entry) => entry.kind === kind).map((entry) => renderItem(entry, named));
    return items.length === 0 ? [] : [`## ${heading}\n\n${items.join('\n')}`];
  });
  const own = notes.filter(({ heading }) => heading !== '').map(({ heading, text }) => `## ${heading}\n\n${text}`);
  return [...lists, ...own];
}
