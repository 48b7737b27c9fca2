import {
  entriesUnder,
  entryOfNote,
  kindUnder,
  type Note,
  noteOf,
  renderSections,
  sectionsOf,
} from './markdown-sections.js';
import type { SessionEntry } from './session-memory.schema.js';

/** The content of a Markdown file that holds all sessions. */
export interface MemoryDocument {
  readonly entries: readonly SessionEntry[];
  readonly notes: readonly Note[];
}

const TITLE = '# Memory';

/** Renders one Markdown file with a list for each kind of entry, oldest first, and the sections of a person. */
export function renderMemoryFile({ entries, notes }: MemoryDocument): string {
  const intro = notes.filter(({ heading }) => heading === '').map(({ text }) => text);
  const sections = renderSections(entries, notes, { session: true, project: true });
  return `${[TITLE, ...intro, ...sections].join('\n\n')}\n`;
}

/** Parses such a file, also one that a person wrote or changed. */
export function parseMemoryFile(text: string, path: string): MemoryDocument {
  const entries: SessionEntry[] = [];
  const notes: Note[] = [];
  for (const { heading, lines } of sectionsOf(text)) {
    const kind = kindUnder(heading);
    if (kind !== undefined) {
      entries.push(...entriesUnder({ heading, lines }, { kind, path }));
      continue;
    }
    const own = heading === '' ? lines.filter((line) => line.trim() !== TITLE) : lines;
    const note = noteOf({ heading, lines: own });
    if (note !== undefined) notes.push(note);
  }
  return { entries, notes };
}

/** All entries of the file for a reader, the notes of a person included. */
export const readableMemory = ({ entries, notes }: MemoryDocument, path: string): SessionEntry[] => [
  ...entries,
  ...notes.flatMap((note) => entryOfNote(note, { path }) ?? []),
];
