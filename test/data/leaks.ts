import { redact } from '../../src/untrusted/redaction/redact.js';

/** Text that must never be shown or published, and how often each kind was found. */
export interface Leaks {
  readonly homePaths: number;
  readonly users: number;
  readonly emails: number;
  readonly secrets: number;
}

const HOME = /(?:\/(?:Users|home)\/|[A-Za-z]:\\Users\\)[\w.-]{1,64}/g;
/** An e-mail address. The ending in letters excludes decorators and package versions. */
const EMAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}\.[A-Za-z]{2,24}\b/g;
/** Names of system accounts, not of people. */
const SYSTEM_ACCOUNTS: ReadonlySet<string> = new Set([
  'root',
  'user',
  'runner',
  'ubuntu',
  'app',
  'dev',
  'node',
  'admin',
  'home',
]);

/** A home folder at the root: `/user/home/datasets` names no person. */
const HOME_AT_ROOT = new RegExp(String.raw`(?:(?<![\w.-])|(?<=\\[nrt]))${HOME.source}`, 'g');

/** The names of the users whose home folders occur in a source. */
export function usersIn(source: string): string[] {
  const names = (source.match(HOME_AT_ROOT) ?? []).map((path) => path.split(/[/\\]/).at(-1) ?? '');
  return [...new Set(names)].filter((name) => name.length > 2 && !SYSTEM_ACCOUNTS.has(name.toLowerCase()));
}

/** Counts leaks text by text, because two joined texts could form a secret. */
export function leaksIn(texts: readonly string[], users: readonly string[]): Leaks {
  const count = (find: (text: string) => number): number => texts.reduce((sum, text) => sum + find(text), 0);
  return {
    homePaths: count((text) => text.match(HOME)?.length ?? 0),
    users: count((text) => users.filter((user) => isNamedIn(text, user)).length),
    emails: count((text) => text.match(EMAIL)?.length ?? 0),
    secrets: count((text) => redact(text).redactions.reduce((sum, finding) => sum + finding.count, 0)),
  };
}

/** As a word of its own: a short name is a part of many others. */
const isNamedIn = (text: string, user: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{N}])${user.replace(/[.-]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'u').test(text);

export const hasLeaks = (leaks: Leaks): boolean => Object.values(leaks).some((count) => count > 0);
