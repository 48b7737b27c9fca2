import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { sha256 } from '../../platform/base/canonical-json.js';
import type { StoredFile } from '../../platform/http/stored-file.js';

/** A file of the console as it is served, compressed once at the start. */
interface Asset {
  readonly file: StoredFile;
  /** True under the name with the hash: those bytes never change. */
  readonly immutable: boolean;
}

const FILES = [
  {
    file: 'console.css',
    type: 'text/css; charset=utf-8',
    parts: ['frame.css', 'lists.css', 'tables.css', 'review.css', 'settings.css', 'screens.css'],
  },
  {
    file: 'console.js',
    type: 'text/javascript; charset=utf-8',
    parts: ['keys.js', 'forms.js', 'preview.js', 'start.js'],
  },
  { file: 'guildbook.svg', type: 'image/svg+xml', parts: ['guildbook.svg'] },
] as const;
type AssetFile = (typeof FILES)[number]['file'];

const part = (file: string): string => readFileSync(new URL(`../assets/${file}`, import.meta.url), 'utf8');

const read = FILES.map(({ file, type, parts }) => {
  const written = parts.map(part).join('');
  // Each page pays for each byte.
  const text = file === 'console.css' ? written.replace(/\n\s{1,40}/g, '\n') : written;
  const hash = sha256(text).slice(0, 12);
  const identity = Buffer.from(text);
  const bytes = { identity, gzip: gzipSync(identity, { level: 9 }), br: brotliCompressSync(identity) };
  return { file, hashed: file.replace('.', `-${hash}.`), asset: { type, hash, bytes } };
});

/** The files by requested name: with the hash and, for pages of other folders, without it. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map(
  read.flatMap(({ file, hashed, asset }): [string, Asset][] => [
    [hashed, { file: asset, immutable: true }],
    [file, { file: asset, immutable: false }],
  ]),
);

const HASHED = new Map<string, string>(read.map(({ file, hashed }) => [file, hashed]));

/** The path of a file with its hash. */
export const assetPath = (file: AssetFile): string => `/console/${HASHED.get(file) ?? file}`;
