import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

/** A text with the secrets in it; none where it is a counter-example. */
export interface SecretRow {
  readonly text: string;
  readonly secrets: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const firstText = (row: Json, names: readonly string[]): string | undefined => {
  const value = names.map((name) => row[name]).find((candidate) => typeof candidate === 'string');
  return typeof value === 'string' ? value : undefined;
};

/** Rows of a file of labelled texts: JSON lines or one JSON array; `text`, and `secrets` or `secret`. */
export function readCorpus(file: string): SecretRow[] {
  const rows = readRows(file);
  const parsed = rows.flatMap((row): SecretRow[] => {
    const text = firstText(row, ['text', 'input', 'content', 'line', 'value']);
    if (text === undefined) return [];
    const listed = Array.isArray(row['secrets']) ? row['secrets'] : [row['secrets'] ?? row['secret']];
    const secrets = listed.filter((secret): secret is string => typeof secret === 'string' && secret !== '');
    return [{ text, secrets: /^(?:neg|fp|false)/i.test(String(row['label'] ?? '')) ? [] : secrets }];
  });
  if (parsed.length === 0)
    throw new Error(`${file} holds no rows with a "text"; expected JSON lines such as {"text": "…", "secrets": ["…"]}`);
  return parsed;
}

function readRows(file: string): Json[] {
  const source = readFileSync(file, 'utf8');
  const isRow = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (source.trimStart().startsWith('[')) {
    const list: unknown = JSON.parse(source);
    return Array.isArray(list) ? list.filter(isRow) : [];
  }
  return source.split('\n').flatMap((line): Json[] => {
    if (line.trim() === '') return [];
    try {
      const value: unknown = JSON.parse(line);
      return isRow(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

const CODE = new Set([
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.tsx',
  '.py',
  '.go',
  '.rs',
  '.java',
  '.rb',
  '.sh',
  '.c',
  '.h',
  '.cpp',
]);
const PROSE = new Set(['.md', '.txt', '.rst', '.jsonl']);
const PIECE = 4_096;

/** The texts of files and folders, in pieces of 4 kB. Of a row of JSON lines, its longest text. */
export function readTexts(paths: readonly string[], kind: 'prose' | 'code', most = 1_000_000): string[] {
  const pieces = paths.flatMap((path) => readShare(path, kind, most / paths.length));
  if (pieces.length === 0) throw new Error(`no ${kind} below ${paths.join(', ')}`);
  return pieces;
}

function readShare(path: string, kind: 'prose' | 'code', most: number): string[] {
  const pieces: string[] = [];
  let length = 0;
  for (const file of filesBelow(path, kind === 'code' ? CODE : PROSE)) {
    const texts = extname(file) === '.jsonl' ? readRows(file).map(longestText) : [readFileSync(file, 'utf8')];
    for (const text of texts) {
      if (length > most) return pieces;
      for (let at = 0; at < text.length; at += PIECE) pieces.push(text.slice(at, at + PIECE));
      length += text.length;
    }
  }
  return pieces;
}

function longestText(row: Json): string {
  const texts = Object.values(row).filter((value): value is string => typeof value === 'string');
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '');
}

function filesBelow(path: string, extensions: ReadonlySet<string>): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => extensions.has(extname(name)) && !/\.min\.|\.spec\.|(?:^|\/)generated\//.test(basename(name) + name),
    )
    .sort()
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile());
}
