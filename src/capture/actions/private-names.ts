import { isAddress } from '../../untrusted/text/hosts.js';
import { SHARED_ACCOUNTS } from '../../untrusted/text/named-people.js';
import { isPlaceholder } from './placeholder.js';
import { basename, locateProgram } from './program.js';

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
export function privateValue(name: string, value: string): string | undefined {
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
