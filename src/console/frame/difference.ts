import { diffArrays } from 'diff';

/** A row of a difference with two columns. Null: that side has no line. */
export interface DifferenceRow {
  readonly kind: 'same' | 'changed' | 'gap';
  readonly before: string | null;
  readonly after: string | null;
}

/** Converts a unified diff to rows; adjacent removed and added lines share a row. */
export function differenceRows(unified: string): DifferenceRow[] {
  const rows: DifferenceRow[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      rows.push({ kind: 'changed', before: removed[at] ?? null, after: added[at] ?? null });
    removed = [];
    added = [];
  };
  const lines = unified.replace(/\n$/, '').split('\n');
  const start = lines.findIndex((line) => line.startsWith('@@'));
  for (const line of start < 0 ? [] : lines.slice(start)) {
    const text = line.slice(1);
    if (line.startsWith('-')) removed.push(text);
    else if (line.startsWith('+')) added.push(text);
    else {
      flush();
      if (line.startsWith('@@')) {
        if (rows.length > 0) rows.push({ kind: 'gap', before: null, after: null });
      } else if (!line.startsWith('\\')) rows.push({ kind: 'same', before: text, after: text });
    }
  }
  flush();
  return rows;
}

/** A piece of a text. */
export interface MarkedPiece {
  readonly text: string;
  readonly isChanged: boolean;
}

/** Marks what two calls do not share, word by word. */
export function markedDifference(before: string, after: string): Record<'before' | 'after', MarkedPiece[]> {
  const pieces = diffArrays(wordsOf(before), wordsOf(after));
  const side = (other: 'added' | 'removed') =>
    pieces
      .filter((piece) => !piece[other])
      .map(({ value, added, removed }) => ({ text: value.join(''), isChanged: added || removed }));
  return { before: side('added'), after: side('removed') };
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_.@-]{1,600}|\s{1,600}|./gu) ?? [];
