import { isAddress } from '../../untrusted/text/hosts.js';
import { isPlaceholder } from './normalised-word.js';
import { basename, locateProgram } from './program.js';

/** Accounts that many machines share. They identify no person, and a command may need them. */
const SHARED_ACCOUNTS: ReadonlySet<string> = new Set(
  `admin app default node public root runner shared ubuntu user users vscode postgres mysql www-data nginx git
   jenkins deploy guest test daemon docker redis`.split(/\s+/),
);
/** The flag before a user name, by program. */
const USER_FLAGS: ReadonlyMap<string, RegExp> = new Map([
  ...each('sudo doas', /^(?:-u|--user)$/),
  ...each('psql pg_dump pg_restore createdb dropdb createuser pg_isready', /^(?:-U|--username)$/),
  ...each('mysql mysqldump mariadb mysqladmin', /^(?:-u|--user)$/),
  ...each('ssh', /^-l$/),
]);
const USER_FLAG = /^--(?:user(?:name)?|owner|assignee|reviewer|login)$/;
const HOST_FLAGS: ReadonlyMap<string, RegExp> = new Map([
  ...each('psql pg_dump pg_restore createdb dropdb createuser pg_isready', /^(?:-h|--host)$/),
  ...each('mysql mysqldump mariadb mysqladmin redis-cli mongo mongosh clickhouse-client', /^(?:-h|--host)$/),
]);
const HOST_FLAG = /^--(?:host(?:name)?|server|address|endpoint)$/;
/** Programs that reach another machine: their operands are hosts. */
const REMOTE: ReadonlySet<string> = new Set(
  'ssh scp sftp rsync ssh-copy-id mosh ping nslookup dig host telnet traceroute whois nc'.split(' '),
);

function each(programs: string, flag: RegExp): [string, RegExp][] {
  return programs.split(' ').map((program) => [program, flag]);
}

/**
 * The words that name a person or a machine by their place in a command, by index: the user after `psql -U`, the host
 * after `ssh`. Shared accounts (`root`), local addresses and short names without a dot (`db1`) are no such names.
 */
export function privateNames(texts: readonly string[]): Map<number, string> {
  const { index } = locateProgram(texts);
  const program = basename(texts[index] ?? '');
  const found = new Map<number, string>();
  for (const [at, text] of texts.entries()) {
    const next = nameAt(texts, index, program, at);
    if (next !== undefined && next !== text) found.set(at, next);
  }
  return found;
}

function nameAt(texts: readonly string[], index: number, program: string, at: number): string | undefined {
  const text = texts[at] ?? '';
  if (isPlaceholder(text) || text === '') return undefined;
  const [, flag = '', value = ''] = /^(--[a-z-]{1,40})=(.*)$/.exec(text) ?? [];
  if (flag !== '') {
    if (USER_FLAG.test(flag)) return `${flag}=${userIn(value)}`;
    return HOST_FLAG.test(flag) ? `${flag}=${hostIn(value)}` : undefined;
  }
  const before = texts[at - 1] ?? '';
  if (/^-/.test(text)) return undefined;
  // the wrappers stand in front of the program
  const runners = at <= index ? texts.slice(0, at).map(basename) : [program];
  if (USER_FLAG.test(before) || runners.some((name) => USER_FLAGS.get(name)?.test(before))) return userIn(text);
  if (HOST_FLAG.test(before) || runners.some((name) => HOST_FLAGS.get(name)?.test(before))) return hostIn(text);
  if (at <= index) return undefined;
  if (program === 'su' || (/^(?:chown|chgrp)$/.test(program) && at === firstOperand(texts, index)))
    return ownersIn(text);
  if (program === 'git' && before === 'user.name') return '[user]';
  return REMOTE.has(program) && !/^-[A-Za-z]$/.test(before) ? machineIn(text) : undefined;
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
function machineIn(text: string): string {
  if (/^[./~]/.test(text)) return text;
  const [, user, host = '', path = ''] = /^(?:([^@/:]{1,64})@)?([^@/:]{1,253})(:.*)?$/.exec(text) ?? [];
  if (host === '') return text;
  if (path !== '' && (user !== undefined || host.includes('.'))) return '[url]';
  const isFile =
    user === undefined &&
    /\.[a-z]\w{0,4}$/i.test(host) &&
    hostIn(host) !== host &&
    !/\.(?:com|org|net|io|dev|internal|local)$/.test(host);
  const machine = isFile ? host : hostIn(host);
  return `${user === undefined ? '' : `${userIn(user)}@`}${machine}${path}`;
}
