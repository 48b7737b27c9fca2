import { basename } from './program.js';

/**
 * Letters of every script, digits, and the punctuation of paths, flags, versions and globs. Excludes quotes and shell
 * metacharacters.
 */
const SAFE = /^[\p{L}\p{N}_./:=@%+,~^*?{}[\]-]{1,80}$/u;
const PLACEHOLDER = /^\[[a-z][a-z0-9:._-]{0,20}\]$/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const HASH = /^(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}$/;
const LONG_HEX = /[0-9a-f]{16,}/gi;
const MAX_RELATIVE_PATH = 160;

export function isPlaceholder(word: string): boolean {
  return PLACEHOLDER.test(word);
}

/**
 * The part of one literal word that may leave the machine. Relative paths, names, flags and numbers stay; absolute
 * paths keep their base name; everything else becomes a typed placeholder. Idempotent, so that a normalised command
 * stays unchanged.
 */
export function normaliseWord(text: string): string {
  if (isPlaceholder(text)) return text;
  if (text.includes('://')) return withPrefix(text, '[url]');
  if (isAbsolute(text)) return normaliseAbsolute(text);
  if (text.startsWith('$')) return normaliseVariable(text);
  if (/^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}:/.test(text)) return '[url]';
  if (/^[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}$/i.test(text)) return '[email]';
  if (HASH.test(text)) return '[hash]';
  if (!SAFE.test(text)) return isLongRelativePath(text) ? hideIds(text) : '[text]';
  if (isTokenLike(text)) return '[id]';
  return hideIds(hideInnerPaths(text));
}

function isLongRelativePath(text: string): boolean {
  return text.length <= MAX_RELATIVE_PATH && text.includes('/') && /^[\w./:[\]-]+$/.test(text);
}

/** True for a long, unbroken mix of letters and digits: an id or a key, not a readable name. */
export function isTokenLike(text: string): boolean {
  return (
    /^[A-Za-z0-9_-]{24,}$/.test(text) &&
    /\d/.test(text) &&
    /[A-Za-z]/.test(text) &&
    !/^[a-z]+(?:[_-][a-z0-9]{1,15})*$/.test(text)
  );
}

function hideIds(text: string): string {
  return text.replace(UUID, '[id]').replace(LONG_HEX, '[hash]');
}

function isAbsolute(text: string): boolean {
  return /^(?:\/|~|[A-Za-z]:[\\/]|file:)/.test(text) && !/^~\d/.test(text);
}

/** Replaces the folders of an absolute path. A home folder is the user's name, so even its base name is removed. */
function normaliseAbsolute(text: string): string {
  const path = text.replaceAll('\\', '/');
  if (/^~[^/]*\/?$/.test(path) || /^(?:[A-Za-z]:)?\/(?:Users|home)\/[^/]*\/?$/.test(path)) return '[path]';
  const node = /\.\w{1,8}(::.*)$/.exec(path)?.[1] ?? '';
  const name = basename(node === '' ? path : path.slice(0, -node.length));
  if (name === '' || !SAFE.test(name)) return '[path]';
  return `[path]/${hideIds(isTokenLike(name) ? '[id]' : name)}${SAFE.test(node) ? node : ''}`;
}

function normaliseVariable(text: string): string {
  if (/^\$\{?\w{1,60}\}?$/.test(text)) return '[var]';
  if (!/^\$\{?\w{1,60}\}?\//.test(text)) return '[text]';
  const name = basename(text);
  return SAFE.test(name) && !name.includes('$') ? `[path]/${hideIds(name)}` : '[path]';
}

function withPrefix(text: string, placeholder: string): string {
  const flag = /^(--?[\w-]{1,40}=)/.exec(text)?.[1] ?? '';
  return `${flag}${placeholder}`;
}

/** Normalises absolute paths inside a word: `--prefix=/opt/x`, `-I/opt/include`, `/a:/b`, `host:/srv/x`. */
function hideInnerPaths(text: string): string {
  const attached = /^(-[A-Za-z])(\/.*)$/.exec(text);
  if (attached !== null) return `${attached[1] ?? ''}${normaliseAbsolute(attached[2] ?? '')}`;
  if (!/[=:,][/~]/.test(text)) return text;
  return text.replace(/(?<=[=:,])[/~][^=:,]*/g, (path) => normaliseAbsolute(path));
}
