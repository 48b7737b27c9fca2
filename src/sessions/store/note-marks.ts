import type { ComparedNote, CompareNotes, NoteMark } from '../../memory/lessons/kept-note.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { type NoteStatement, noteConflict, noteStatementOf } from './note-statement.js';

/** Marks of one note: more say nothing more. */
const MOST_MARKS = 5;
const MOST_KEPT = 5_000;

/** Finds the notes that say the same as a new one or contradict it. Reading a text takes longer than comparing it. */
export function noteComparer(): CompareNotes {
  const statements = new FifoCache<NoteStatement<ComparedNote>>(MOST_KEPT);
  const read = (note: ComparedNote) =>
    statements.getOrCreate(`${note.kind} ${note.contentSha256}`, () => noteStatementOf(note));
  return (note, kept) => {
    const own = read(note);
    const marks = kept.flatMap((other): NoteMark[] => {
      const { id, kind, createdAt: at } = other;
      const theirs = read(other);
      if (theirs.key === own.key) return [{ id, is: 'same', kind, at }];
      return noteConflict(own, theirs) === undefined ? [] : [{ id, is: 'contradiction', kind, at }];
    });
    return marks.slice(0, MOST_MARKS);
  };
}
