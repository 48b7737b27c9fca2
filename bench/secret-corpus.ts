import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

/** A text with its secrets; a counter-example has none. */
export interface SecretRow {
  readonly text: string;
  readonly secrets: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const firstText = (row: Json, names: readonly string[]): string | undefined => {
  const value = names.map((name) => row[name]).find((candidate) => typeof candidate === 'string');
  return typeof value === 'string' ? value : undefined;
};

/** Reads labelled texts from JSON lines or one JSON array, with `text` and `secrets` or `secret`. */
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
    throw new Error(`${file} has no rows with a "text"; expected JSON lines such as {"text": "…", "secrets": ["…"]}`);
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
const CHUNK = 4_096;

/**
 * The texts of files and folders in chunks of 4 kB; of a row of JSON lines, its longest text. `limit`: maximum number of
 * characters.
 */
export function readTexts(paths: readonly string[], kind: 'prose' | 'code', limit = 1_000_000): string[] {
  const chunks = paths.flatMap((path) => readShare(path, kind, limit / paths.length));
  if (chunks.length === 0) throw new Error(`no ${kind} in ${paths.join(', ')}`);
  return chunks;
}

function readShare(path: string, kind: 'prose' | 'code', limit: number): string[] {
  const chunks: string[] = [];
  let length = 0;
  for (const file of filesBelow(path, kind === 'code' ? CODE : PROSE)) {
    const texts = extname(file) === '.jsonl' ? readRows(file).map(longestText) : [readFileSync(file, 'utf8')];
    for (const text of texts) {
      if (length > limit) return chunks;
      for (let at = 0; at < text.length; at += CHUNK) chunks.push(text.slice(at, at + CHUNK));
      length += text.length;
    }
  }
  return chunks;
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
