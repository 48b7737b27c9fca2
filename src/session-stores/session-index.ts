import { z } from 'zod';
import { compareText } from '../platform/base/compare-text.js';
import { optional } from '../platform/base/optional.js';
import { parseJson } from '../platform/base/parse-json.js';
import { HIT_SUMMARY } from '../sessions/entries/entry-search.js';
import type { SessionDocument } from '../sessions/entries/session-file.js';
import { clip } from '../untrusted/text/clip.js';

const Row = z.strictObject({
  path: z.string(),
  date: z.string().optional(),
  project: z.string().optional(),
  summary: z.string(),
  tags: z.array(z.string()),
  entries: z.int(),
  /** Of the bytes of the file, so that a reader sees whether the row is current. */
  sha256: z.string(),
});
export type IndexRow = z.infer<typeof Row>;

const Index = z.strictObject({ version: z.literal(1), sessions: z.array(Row) });

export function indexRow(path: string, sha256: string, document: SessionDocument): IndexRow {
  const summary = document.entries.find(({ kind }) => kind === 'session-summary');
  return {
    path,
    ...optional('date', document.startedAt),
    ...optional('project', document.project),
    summary: clip((summary?.content ?? '').replace(/\s+/g, ' '), HIT_SUMMARY),
    tags: [...(summary?.tags ?? [])],
    entries: document.entries.length,
    sha256,
  };
}

/** The text of `index.json`: equal rows give equal bytes. */
export function renderIndex(rows: readonly IndexRow[]): string {
  const sessions = [...rows].sort((a, b) => compareText(a.path, b.path));
  return `${JSON.stringify({ version: 1, sessions }, null, 2)}\n`;
}

/** Undefined for a damaged index. */
export const parseIndex = (text: string): IndexRow[] | undefined => Index.safeParse(parseJson(text)).data?.sessions;
