import { FifoCache } from '../../platform/background/fifo-cache.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { isAddress, isHostName } from '../../untrusted/text/hosts.js';
import { isPlaceholder } from './placeholder.js';
import { privateValue } from './private-names.js';
import { basename } from './program.js';

/** Letters of every script, digits, and the punctuation of paths, flags, versions and globs. */
const PLAIN = /^[\p{L}\p{N}_./:=@%+,~^*?{}[\]-]{1,200}$/u;
/** What a person can see. Excludes control and formatting characters. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{0,200}$/u;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const HASH = /^(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}$/;
const LONG_HEX = /[0-9a-f]{16,}/gi;
const LOCAL_URL =
  /^[a-z][a-z0-9+.-]{1,20}:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::\d{1,5})?(?:\/[\w./{}*-]{0,150})?$/i;
/** A flag, variable or argument and what joins it to its value. */
const NAMED = /^((?:--?)?[A-Za-z_][\w.-]{0,60}\+?=)(.*)$/;
const SEGMENT = /^[\p{L}\p{N}_.:@%+,~^*?{}[\]$-]{1,80}$/u;
/** Folders that every machine of a kind has, and programs' folders in them: they name no person and no project. */
const SYSTEM =
  /^\/(?:$|(?:usr|bin|sbin|lib|lib32|lib64|etc|dev|proc|sys|run|System|Library|Applications)(?:\/|$)|var\/(?:log|run|lib|cache|tmp|spool)(?:\/|$)|opt\/homebrew(?:\/|$))/;
/** `/tmp/x` and `/tmp/x/y.py`. Deeper folders can hold a project's own path. */
const SCRATCH = /^\/(?:private\/)?tmp(?:\/[^/]{1,80}){0,2}\/?$/;
/** `/workspace`, and `/111` of `find -perm`: a placeholder for the folder would stand for nothing. */
const AT_ROOT = /^\/[^/]{1,80}\/?$/;
const IN_OPT = /^\/opt\/(?:[^/]{1,80}\/){1,8}s?bin\/[^/]{1,80}$/;
/** Folders of an environment, without which a program is another one: `venv/bin/python`. */
const ENVIRONMENT = /\/((?:\.?venv|\.?env|node_modules|vendor)\/(?:\.bin|s?bin|Scripts)\/[^/]{1,80})$/;
const MAX_PATH = 160;

const MAX_NESTING = 3;

/** Each command is normalised at least twice, and commands repeat their words. */
const KEPT_WORDS = new FifoCache<string>(10_000);
const MAX_CACHED = 100;

/** Words of a sentence, as a message or a prompt has them; commands, patterns and formats have fewer in a row. */
const PROSE_WORDS = 5;

/**
 * A word of a command without what is private: URLs and hosts of other machines, e-mail addresses, folders of absolute
 * paths, ids and hashes. Everything else stays. A long, invisible or spoken text is `[text]`. Idempotent.
 */
export function keepWord(text: string): string {
  return text.length > MAX_CACHED ? keptWord(text) : KEPT_WORDS.getOrCreate(text, () => keptWord(text));
}

function keptWord(text: string): string {
  if (isPlaceholder(text)) return text;
  if (!PRINTABLE.test(text)) return '[text]';
  if (!text.includes(' ')) return keepPiece(text, 0);
  // a path with a blank is one path: `/Users/Ann Lee/x`
  const [, name = '', path] = /^((?:--?)?[\w.-]{0,60}=|)([/~].* .*\/.*|[A-Za-z]:[\\/].*)$/.exec(text) ?? [];
  if (path !== undefined) return `${name}${keepPath(path)}`;
  return isProse(text) ? '[text]' : text.replace(/[^ ]{1,200}/g, (piece) => keepPiece(piece, 0));
}

/** True for a sentence rather than a pattern, a format or a command. */
export function isProse(text: string): boolean {
  const words = text.trim().split(/ {1,200}/);
  const spoken = words.filter((word) => /^\p{L}[\p{L}'’]{0,40}[,.!?;:]{0,3}$/u.test(word));
  return spoken.length >= PROSE_WORDS && spoken.length * 5 >= words.length * 4;
}

const URL_IN_PATTERN = /[a-z][a-z0-9+.-]{1,20}:\\{0,2}\/\\{0,2}\/[^\s"'|)]{1,200}/gi;
const EMAIL = /[\p{L}\w.+-]{1,64}@(?:[\p{L}\w-]{1,63}\\?\.){1,8}\p{L}{2,24}/gu;
const HOME_PATH = /(?:[A-Za-z]:)?(?:\\{0,2}\/|\\{1,2})(?:home|Users)(?:\\{0,2}\/|\\{1,2})[^\s"'|)]{1,200}/g;
/** At least two folders: `/g` ends a substitution. */
const PATH_IN_PATTERN = /(?<![\w.\\*\])$}/-])\/[\w@+-][\w.@+-]{0,80}(?:\/[\w.@+-]{1,80}){1,12}/g;
const DOTTED = /(?<![\w.-])[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}(?![\w(-]|\.\w)/g;

/** A search pattern or a script without what is private; it may read like a sentence. `[text]` if it is long. */
export function keepPattern(text: string): string {
  if (isPlaceholder(text)) return text;
  if (!PRINTABLE.test(text)) return '[text]';
  const kept = text
    .replace(URL_IN_PATTERN, (url) => (LOCAL_URL.test(url) ? url : '[url]'))
    .replace(EMAIL, '[email]')
    .replace(HOME_PATH, '[path]')
    .replace(PATH_IN_PATTERN, (path) => keepPath(path))
    .replace(DOTTED, (name) => (isHostName(name) || isAddress(name) ? '[host]' : name));
  return hideIds(kept);
}

function keepPiece(text: string, depth: number): string {
  if (isPlaceholder(text)) return text;
  const [, name, value] = depth < MAX_NESTING ? (NAMED.exec(text) ?? []) : [];
  if (name !== undefined && value !== undefined && value !== '')
    return `${name}${privateValue(name.replace(/^-{1,2}|\+?=$/g, ''), value) ?? keepPiece(value, depth + 1)}`;
  if (text.includes('://')) return LOCAL_URL.test(text) ? text : '[url]';
  const attached = /^(-[A-Za-z])([/~].*)$/.exec(text);
  if (attached !== null) return `${attached[1] ?? ''}${keepSegment(attached[2] ?? '')}`;
  if (/^[A-Za-z]:[\\/]/.test(text) || text.startsWith('file:') || !/[:,][/~$]|^[/~$].*:/.test(text))
    return keepSegment(text);
  if (/\.\w{1,8}::/.test(text)) return keepSegment(text);
  const address = /^[\w.+-]{1,64}@[\w.-]{1,255}:/.test(text);
  return address ? '[url]' : text.replace(/[^:,]{1,200}/g, keepSegment);
}

function keepSegment(text: string): string {
  if (isPlaceholder(text)) return text;
  const variable = /^\$\{?(\w{1,60})\}?(\/.*)?$/.exec(text);
  if (variable !== null) return keepVariable(text, variable[1] ?? '', variable[2] ?? '');
  if (isAbsolutePath(text)) return keepPath(text);
  if (/^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}:/.test(text)) return '[url]';
  if (/^[\p{L}\w.+-]{1,64}@(?:[\p{L}\w-]{1,63}\.){1,8}\p{L}{2,24}$/u.test(text)) return '[email]';
  if (HASH.test(text)) return '[hash]';
  if (!PLAIN.test(text)) return hideIds(generalise(text));
  if (isTokenLike(text)) return '[id]';
  return hideIds(keepHost(text));
}

/** A host of another machine, alone, with a port or with a path. */
function keepHost(text: string): string {
  if (!/[.:]/.test(text)) return text;
  const [, host = '', port = '', path = ''] = /^([^/:]{1,253})(:\d{1,5})?(\/.*)?$/.exec(text) ?? [];
  if (!isHostName(host) && !isAddress(host)) return isAddress(text) ? '[host]' : text;
  return path === '' ? `[host]${port}` : '[url]';
}

function keepVariable(text: string, name: string, path: string): string {
  if (path === '') return text;
  if (name === 'HOME' && !/^\/\.[\w-]/.test(path)) return keepPath(`~${path}`);
  return path.split('/').every((part) => part === '' || (PLAIN.test(part) && !isTokenLike(part)))
    ? hideIds(text)
    : '[path]';
}

function hideIds(text: string): string {
  return text.replace(UUID, '[id]').replace(LONG_HEX, '[hash]');
}

/** True for a path that starts at the root, a drive or a home folder. */
function isAbsolutePath(text: string): boolean {
  return /^(?:\/|~|[A-Za-z]:[\\/]|file:)/.test(text) && !/^~\d/.test(text);
}

/**
 * An absolute path without its private folders. System folders, what lies at the root, scratch files, an interpreter's folder and a tool's
 * folder in the home folder (`~/.nvm/nvm.sh`) stay; of every other path only the last part does, and of a home folder
 * not even that, because it is the user's name.
 */
function keepPath(text: string): string {
  const path = text.replaceAll('\\', '/');
  const segments = path.split('/').filter((segment) => segment !== '');
  const harmless = path.length <= MAX_PATH && segments.every(isHarmless);
  if (harmless && (SYSTEM.test(path) || SCRATCH.test(path) || IN_OPT.test(path) || AT_ROOT.test(path))) return text;
  if (/^~\/?$/.test(path) || (harmless && /^(?:~|\/root)\/\.[\w-]/.test(path))) return path;
  if (/^~[^/]*\/?$/.test(path) || /^(?:[A-Za-z]:)?\/(?:Users|home)\/[^/]*\/?$/.test(path)) return '[path]';
  const environment = ENVIRONMENT.exec(path)?.[1];
  if (environment?.split('/').every(isHarmless) === true) return `[path]/${environment}`;
  const node = /\.\w{1,8}(::.*)$/.exec(path)?.[1] ?? '';
  const name = basename(node === '' ? path : path.slice(0, -node.length));
  if (name === '' || !SEGMENT.test(name) || isPrivateName(name)) return '[path]';
  const end = node === '' && path.endsWith('/') ? '/' : SEGMENT.test(node) ? node : '';
  return `[path]/${isTokenLike(name) ? '[id]' : name}${end}`;
}

function isHarmless(segment: string): boolean {
  return SEGMENT.test(segment) && !isTokenLike(segment) && !isPrivateName(segment);
}

/** A host, or a home folder as agents spell it in a folder's name. */
function isPrivateName(segment: string): boolean {
  return isHostName(segment) || /(?:^|-)(?:home|Users)-/.test(segment) || /[^@]@[\w-]{1,63}\.\p{L}{2}/u.test(segment);
}

/** True for a long, unbroken mix of letters and digits: an id or a key, not a readable name. */
function isTokenLike(text: string): boolean {
  return (
    /^[A-Za-z0-9_-]{24,}$/.test(text) &&
    /\d/.test(text) &&
    /[A-Za-z]/.test(text) &&
    !/^[a-z]+(?:[_-][a-z0-9]{1,15})*$/.test(text)
  );
}
