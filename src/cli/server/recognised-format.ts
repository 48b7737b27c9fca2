import { importerFor } from '../../capture/formats/foreign-formats.js';
import { LOST_LINE, parseJson } from '../../capture/importers/import-tally.js';
import type { TranscriptImporter } from '../../capture/importers/importer.js';
import { MAX_HELD } from '../sources/source.js';
import { MAX_LINE, type SourceText } from '../sources/source-text.js';

/** Lines that are read to detect a format, and their characters together. */
const HEAD_LINES = 50;
const MAX_HEAD = 4_000_000;
export const TOO_LARGE = 'larger than 256 MiB';

/** The importer of the text, and its first lines. Reads the whole only if the beginning is no record of a known format. */
export function recognised(
  format: string | undefined,
  text: SourceText,
): { importer: TranscriptImporter | undefined; head: readonly string[] } {
  const head: string[] = [];
  let length = 0;
  let isWhole = true;
  for (const line of text.lines(MAX_LINE)) {
    if (head.length === HEAD_LINES || length > MAX_HEAD) {
      isWhole = false;
      break;
    }
    if (line !== LOST_LINE) head.push(line);
    length += line.length;
  }
  const importer = importerFor(format, head);
  const isAllRead = isWhole && text.lost().length === 0;
  if (importer !== undefined || isAllRead || !mayBeDocument(head, text.size)) return { importer, head };
  return {
    importer: importerFor(
      format,
      [...text.lines(MAX_HELD)].filter((line) => line !== LOST_LINE),
    ),
    head,
  };
}

/** Without a first line, that line is too long to be a record. One that is JSON is no document over several lines. */
const mayBeDocument = ([first]: readonly string[], size: number): boolean =>
  size <= MAX_HELD && (first === undefined || (/^\s*[[{]/.test(first) && parseJson(first) === undefined));

export function unknownReason(head: readonly string[], text: SourceText): string {
  const [lost] = text.lost();
  if (head.length > 0) return text.size > MAX_HELD ? `unknown format, or a document ${TOO_LARGE}` : 'unknown format';
  if (lost?.reason === 'line that is not UTF-8') return 'not UTF-8 text';
  return lost === undefined ? 'empty file' : lost.reason;
}
