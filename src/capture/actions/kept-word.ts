import { FifoCache } from '../../platform/background/fifo-cache.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { isAddress, isHostName } from '../../untrusted/text/hosts.js';
import { SHARED_ACCOUNTS } from '../../untrusted/text/named-people.js';
import { isPlaceholder } from './placeholder.js';
import { basename, locateProgram } from './program.js';

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

/** The flag before a user name, by program. */
const USER_FLAGS: ReadonlyMap<string, RegExp> = new Map([
  ...each('sudo doas', /^(?:-u|--user)$/),
  ...each('psql pg_dump pg_restore createdb dropdb createuser pg_isready', /^(?:-U|--username)$/),
  ...each('mysql mysqldump mariadb mysqladmin', /^(?:-u|--user)$/),
  ...each('ssh', /^-l$/),
  ...each('docker podman', /^(?:-u|--username)$/),
]);
const USER_FLAG = /^--(?:username|owner|assignee|reviewer)$/;
/** With `=` it has a value; `pip install --user x` has none. */
const USER_FLAG_WITH_VALUE = /^--(?:user(?:name)?|owner|assignee|reviewer|login)$/;
/** Programs whose operands are users. */
const USER_PROGRAMS: ReadonlySet<string> = new Set(
  'su id passwd useradd userdel adduser deluser usermod groups finger'.split(' '),
);
/** Variables and fields that name a user or a machine: `PGUSER`, `user`, `DB_HOST`. */
const USER_VARIABLE =
  /^(?:\w{0,30}_)?(?:PG|DB)?(?:user|user_?name|log(?:in|name)|owner|(?:author|committer)_name|full_?name)$/i;
const HOST_VARIABLE = /^(?:\w{0,30}_)?(?:PG|DB)?(?:host|host_?name|server|endpoint|addr|address)$/i;
const HOST_FLAGS: ReadonlyMap<string, RegExp> = new Map([
  ...each('psql pg_dump pg_restore createdb dropdb createuser pg_isready', /^(?:-h|--host)$/),
  ...each('mysql mysqldump mariadb mysqladmin redis-cli mongo mongosh clickhouse-client', /^(?:-h|--host)$/),
]);
const HOST_FLAG = /^--(?:host(?:name)?|server|address|endpoint)$/;
/** Programs that reach another machine: their operands are hosts. */
const REMOTE: ReadonlySet<string> = new Set(
  'ssh scp sftp rsync ssh-copy-id mosh ping nslookup dig host telnet traceroute whois nc'.split(' '),
);

/** Of these, an operand without a colon is a file. */
const COPIES = /^(?:scp|sftp|rsync)$/;

function each(programs: string, flag: RegExp): [string, RegExp][] {
  return programs.split(' ').map((program) => [program, flag]);
}

/**
 * The words that name a person or a machine by their place in a command, by index: the user after `psql -U`, the host
 * after `ssh`. Shared accounts (`root`), local addresses and short names without a dot (`db1`) are no such names.
 */
export function privateNames(texts: readonly string[]): Map<number, string> {
  const index = locateProgram(texts);
  const program = basename(texts[index] ?? '');
  const found = new Map<number, string>();
  for (const [at, text] of texts.entries()) {
    const next = nameAt(texts, index, program, at);
    if (next !== undefined && next !== text) found.set(at, next);
  }
  return found;
}

/** The value of a variable or field whose name says that it names a user or a machine; undefined for another name. */
function privateValue(name: string, value: string): string | undefined {
  if (USER_VARIABLE.test(name)) return userIn(value);
  return HOST_VARIABLE.test(name) && !value.includes('://') ? hostIn(value) : undefined;
}

function nameAt(texts: readonly string[], index: number, program: string, at: number): string | undefined {
  const text = texts[at] ?? '';
  if (isPlaceholder(text) || text === '') return undefined;
  const [, flag = '', value = ''] = /^(--[a-z-]{1,40})=(.*)$/.exec(text) ?? [];
  if (flag !== '') {
    if (USER_FLAG_WITH_VALUE.test(flag)) return `${flag}=${userIn(value)}`;
    return HOST_FLAG.test(flag) ? `${flag}=${hostIn(value)}` : undefined;
  }
  const before = texts[at - 1] ?? '';
  const attached = /^mysql|^mariadb/.test(program) ? /^-u([^-].{0,60})$/.exec(text)?.[1] : undefined;
  if (attached !== undefined) return `-u${userIn(attached)}`;
  if (/^-/.test(text)) return undefined;
  // the wrappers stand in front of the program
  const runners = at <= index ? texts.slice(0, at).map(basename) : [program];
  if (USER_FLAG.test(before) || runners.some((name) => USER_FLAGS.get(name)?.test(before))) return userIn(text);
  if (HOST_FLAG.test(before) || runners.some((name) => HOST_FLAGS.get(name)?.test(before))) return hostIn(text);
  if (at <= index) return undefined;
  if (USER_PROGRAMS.has(program) || (/^(?:chown|chgrp)$/.test(program) && at === firstOperand(texts, index)))
    return ownersIn(text);
  if (program === 'git' && before === 'user.name') return '[user]';
  return REMOTE.has(program) && !/^-[A-Za-z]$/.test(before) ? machineIn(text, COPIES.test(program)) : undefined;
}

function firstOperand(texts: readonly string[], index: number): number {
  return texts.findIndex((text, at) => at > index && !text.startsWith('-'));
}

function userIn(text: string): string {
  return isShared(text) ? text : '[user]';
}

function isShared(text: string): boolean {
  return (
    isPlaceholder(text) || /^(?:\d{1,6}|\$.{0,80}|\[user\])$/.test(text) || SHARED_ACCOUNTS.has(text.toLowerCase())
  );
}

/** `jo:staff` of chown; a group alone keeps its colon. */
function ownersIn(text: string): string {
  if (!/^[\p{L}\w.:-]{1,100}$/u.test(text)) return text;
  return text.replace(/[^:]{1,100}/g, userIn);
}

function hostIn(text: string): string {
  const host = text.replace(/:\d{1,5}$/, '');
  if (/^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|0\.0\.0\.0)$/.test(host) || host.includes('/')) return text;
  return isAddress(host) || /^[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}$/.test(host)
    ? `[host]${text.slice(host.length)}`
    : text;
}

/** `jo@build7:/srv/x`: the user and the machine of a remote program. A path is none. */
function machineIn(text: string, copies: boolean): string | undefined {
  if (/^[./~]/.test(text)) return undefined;
  const [, user, host = '', path = ''] = /^(?:([^@/:]{1,64})@)?([^@/:]{1,253})(:.*)?$/.exec(text) ?? [];
  if (host === '' || (copies && path === '')) return undefined;
  if (path !== '' && (user !== undefined || host.includes('.'))) return '[url]';
  return `${user === undefined ? '' : `${userIn(user)}@`}${hostIn(host)}${path}`;
}
