import type { SetExecution } from '../sets/set-reader.js';
import type { SetCall, SetRow } from '../sets/set-row.js';

const HOME = /(?:\/(?:Users|home)\/(?!<)[\w.-]{1,64}|\b[A-Za-z]:\\Users\\[\w.-]{1,64}|(?<![\w/])\/root\/[\w.-]{1,64})/g;
/** A home folder that is named after its user. */
const USER_HOME = /\/(?:Users|home)\/[\w.-]{1,64}|\b[A-Za-z]:\\Users\\[\w.-]{1,64}/g;
const EMAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.[A-Za-z]{2,24}\b/g;
const URL = /\b(?:https?|ftp|ssh|wss?|postgres(?:ql)?|mysql|mongodb|redis|git):\/\/(?!<)[^\s"'`<>)]{1,300}/gi;
const ADDRESS = /(?<![\d.])(?!127\.0\.0\.1|0\.0\.0\.0)(?:\d{1,3}\.){3}\d{1,3}(?!\.?\d)/g;
const HOST =
  /(?<![\w./@-])(?:[a-z0-9-]{1,63}\.){1,5}(?:com|org|net|io|dev|internal|local|corp|lan|edu|gov)(?!\.?\w|[-(])/gi;
const PUBLIC_HOST = /^(?:localhost|127\.0\.0\.1|(?:[\w-]+\.)*example\.(?:com|org|net))(?:[:/]|$)/i;
/** Accounts of systems, not of people. */
const SYSTEM_ACCOUNTS =
  /^(?:root|user|runner|ubuntu|app|dev|node|admin|home|testbed|shared|public|guest|vscode|linuxbrew)$/i;
const NAME_KEY = /(?:^|_)(?:first_?name|last_?name|full_?name|user_?name|user_?id|customer|email|phone|dob|passport)/i;

/** A text that is planted where the record keeps nothing, so that no lesson can hold it. */
export const CANARY = 'canary-7f3e';
/** Arguments that hold the text of a file, a prompt or a message. */
const CONTENT_ARGUMENT = /^(?:content|new_string|old_string|file_text|new_source|prompt|message|body)$/;

/** Plants canaries in the outputs of successful calls and in the contents that calls write. */
export function withCanaries(row: SetRow): SetRow {
  return { ...row, calls: row.calls.map(plantedCall) };
}

function plantedCall(call: SetCall): SetCall {
  const { input, output } = call;
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const planted = !isObject
    ? input
    : Object.fromEntries(
        Object.entries(input).map(([key, value]) => [
          key,
          typeof value === 'string' && CONTENT_ARGUMENT.test(key) ? `${value} ${CANARY}` : value,
        ]),
      );
  return { ...call, input: planted, output: call.ok === true ? `${output}\n${CANARY}` : output };
}

/** The names of people in a set: of home folders, and the values of arguments that name a person. */
export function namesIn(executions: readonly SetExecution[]): Set<string> {
  const names = new Set<string>();
  for (const { row } of executions)
    for (const { input, output } of row.calls) {
      const texts = [typeof input === 'string' ? input : JSON.stringify(input ?? ''), output];
      for (const home of texts.join('\n').match(USER_HOME) ?? []) names.add(home.split(/[/\\]/).at(-1) ?? '');
      collectNames(input, names, 0);
    }
  return new Set([...names].filter((name) => name.length > 2 && !SYSTEM_ACCOUNTS.test(name)));
}

function collectNames(value: unknown, names: Set<string>, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > 6) return;
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && NAME_KEY.test(key) && /^[\p{L}][\w\p{L}@. -]{2,60}$/u.test(inner))
      names.add(inner);
    else collectNames(inner, names, depth + 1);
  }
}

/** The private values in a text: home paths, e-mail addresses, hosts, addresses with a query, names, and canaries. */
export function privateValuesIn(text: string, names: ReadonlySet<string>): string[] {
  const found = [...(text.match(HOME) ?? []), ...(text.match(EMAIL) ?? []), ...(text.match(ADDRESS) ?? [])];
  for (const url of text.match(URL) ?? []) {
    const host = url.replace(/^[^/]*\/\/(?:[^/@]*@)?/, '');
    if (!PUBLIC_HOST.test(host) || url.includes('?')) found.push(url);
  }
  for (const host of text.match(HOST) ?? []) if (!PUBLIC_HOST.test(host)) found.push(host);
  for (const name of names) if (text.includes(name) && holdsWord(text, name)) found.push(name);
  if (text.includes(CANARY)) found.push(CANARY);
  return found;
}

function holdsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isInside = /[\p{L}\p{N}_]/u.test(text.charAt(at - 1)) || /[\p{L}\p{N}_]/u.test(text.charAt(at + word.length));
    if (!isInside) return true;
  }
  return false;
}
