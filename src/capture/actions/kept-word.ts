import { generalise } from '../../untrusted/text/generalise.js';
import { isAddress, isHostName } from '../../untrusted/text/hosts.js';
import { isAbsolutePath, keepPath } from './kept-path.js';
import { isPlaceholder, isTokenLike } from './normalised-word.js';

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
const MAX_NESTING = 3;
/** Words of a sentence, as a message or a prompt has them; commands, patterns and formats have fewer in a row. */
const PROSE_WORDS = 5;

/**
 * A word of a command without what is private: URLs and hosts of other machines, e-mail addresses, folders of absolute
 * paths, ids and hashes. Everything else stays. A long, invisible or spoken text is `[text]`. Idempotent.
 */
export function keepWord(text: string): string {
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

function keepPiece(text: string, depth: number): string {
  if (isPlaceholder(text)) return text;
  const [, name, value] = depth < MAX_NESTING ? (NAMED.exec(text) ?? []) : [];
  if (name !== undefined && value !== undefined) return value === '' ? text : `${name}${keepPiece(value, depth + 1)}`;
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
