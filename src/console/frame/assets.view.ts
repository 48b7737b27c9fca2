import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { sha256 } from '../../platform/base/canonical-json.js';

/** A file of the console as it is served: made once, at the start. */
export interface Asset {
  readonly type: string;
  readonly etag: string;
  /** True under the name that holds the hash: those bytes never change. */
  readonly immutable: boolean;
  readonly bytes: Readonly<Record<'identity' | 'gzip' | 'br', Buffer>>;
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
  const text = parts.map(part).join('');
  const hash = sha256(text).slice(0, 12);
  const identity = Buffer.from(text);
  const bytes = { identity, gzip: gzipSync(identity, { level: 9 }), br: brotliCompressSync(identity) };
  return { file, hashed: file.replace('.', `-${hash}.`), asset: { type, etag: `"${hash}"`, bytes } };
});

/** By the name under which they are asked for: with the hash, and (for pages of other rooms) without. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map(
  read.flatMap(({ file, hashed, asset }): [string, Asset][] => [
    [hashed, { ...asset, immutable: true }],
    [file, { ...asset, immutable: false }],
  ]),
);

const HASHED = new Map<string, string>(read.map(({ file, hashed }) => [file, hashed]));

/** The address of a file of ours, with its hash. */
export const assetPath = (file: AssetFile): string => `/console/${HASHED.get(file) ?? file}`;
