import { parseJson } from '../../platform/base/parse-json.js';
import { argumentsOf, isInstance } from './call-instance.js';
import { type CallWord, readCallWords } from './call-role.js';
import { nameOfPlace, placeholderName } from './placeholder-name.js';
import { LONGEST_SHOWN_CALL, type ShownCall } from './shown-call.schema.js';

/** An observed call, from which a form is made. */
export interface ObservedForm {
  readonly call: ShownCall;
  readonly origin: string;
  /** Label of the project, if it is known. */
  readonly project?: string;
  /** The words and values that tell the call from one that failed. The form keeps them. */
  readonly kept?: readonly string[];
}

/** A form that all its members are instances of. */
export interface CallForm {
  readonly form: ShownCall;
  /** Positions of its members in the list that it was made from. */
  readonly members: readonly number[];
  readonly origins: number;
}

/** File and folder names that many projects have. */
const CONVENTIONAL =
  /^(?:\.{1,2}\/?|(?:\.\/)?(?:src|lib|test|tests|docs|bin|build|dist|node_modules|venv|\.venv|requirements[\w-]{0,20}\.txt|package(?:-lock)?\.json|tsconfig\.json|setup\.(?:py|cfg)|pyproject\.toml|tox\.ini|manage\.py|conftest\.py|runtests\.py|Makefile|Dockerfile|docker-compose\.ya?ml|Cargo\.toml|go\.mod|pom\.xml|build\.gradle|gradlew|mix\.exs|Gemfile|README\.md|CHANGELOG\.md|\.env|\.git|\.gitignore)\/?|origin|main|master|HEAD|upstream|\/tmp|\/dev\/null)$/;
const SYSTEM_PROGRAM = /^\/(?:usr\/(?:local\/)?)?s?bin\/[\w.+-]{1,60}$/;
const NAMED_THING = new Set(['branch', 'host', 'user', 'database', 'container', 'message', 'commit', 'folder', 'file']);
const ONE_VALUE = /^<[a-z][a-z0-9 -]{0,29}>$/;

/**
 * Returns the least general form of the calls that share a skeleton with the most others: it keeps every word that is
 * the same in all of them, and a named placeholder stands for a word that differs or that is a name of one project.
 * Deterministic in the set of calls. Undefined without a call that can be shown.
 */
export function formOf(calls: readonly ObservedForm[]): CallForm | undefined {
  return formsOf(calls)[0];
}

/** All forms, the one with the most origins first, then the most calls, then the shortest. */
export function formsOf(calls: readonly ObservedForm[]): CallForm[] {
  const groups = new Map<string, number[]>();
  calls.forEach((one, at) => {
    const key = skeletonOf(one);
    const known = groups.get(key);
    if (known) known.push(at);
    else groups.set(key, [at]);
  });
  return [...groups.values()]
    .flatMap((members) => {
      const group = members.flatMap((at) => calls[at] ?? []);
      const form = isShell(group) ? formOfLines(group) : formOfArguments(group);
      if (!form || !group.every(({ call }) => isInstance(form, call))) return [];
      return [{ form, members, origins: new Set(group.map(({ origin }) => origin)).size }];
    })
    .sort(
      (a, b) =>
        b.origins - a.origins ||
        b.members.length - a.members.length ||
        a.form.call.length - b.form.call.length ||
        (a.form.call < b.form.call ? -1 : 1),
    );
}

const isShell = ([first]: readonly ObservedForm[]): boolean => first?.call.tool === 'shell';

function skeletonOf({ call, kept = [] }: ObservedForm): string {
  if (call.tool === 'shell')
    return JSON.stringify(['shell', ...readCallWords(call.call).map((word) => piece(word, kept))]);
  const values = argumentsOf(call.call);
  if (values === undefined) return JSON.stringify([call.tool, call.call]);
  const keys = [...values].map(([key, value]) => (kept.includes(value) ? `${key}=${value}` : key + statementOf(value)));
  keys.sort();
  return JSON.stringify([call.tool, keys]);
}

/** What a word must share with the word at its place in another call of the same form. */
function piece({ role, text }: CallWord, kept: readonly string[]): string {
  if (role === 'operator' || role === 'program' || role === 'subcommand') return text;
  if (kept.includes(text)) return `=${text}`;
  const at = text.indexOf('=');
  if (role === 'assignment' || (role === 'flag' && at > 0))
    return kept.includes(text.slice(at + 1)) ? `=${text}` : text.slice(0, at + 1);
  if (role === 'flag') return /^-[A-Za-z]\d{1,9}$/.test(text) ? text.slice(0, 2) : text;
  return '*';
}

function formOfLines(group: readonly ObservedForm[]): ShownCall | undefined {
  const lines = group.map(({ call }) => readCallWords(call.call));
  const isOne = isOneProject(group);
  const words = (lines[0] ?? []).map((first, at) => {
    const texts = lines.map((line) => line[at]?.text ?? '');
    const isKept = group.every(({ kept = [] }, n) => isKeptWord(texts[n] ?? '', kept));
    if (texts.every((text) => text === first.text) && (isKept || !isPrivate(first, isOne))) return first.text;
    return generalWord(first, texts, isOne);
  });
  return shown('shell', words.join(' '));
}

function formOfArguments(group: readonly ObservedForm[]): ShownCall | undefined {
  const [first] = group;
  if (!first) return undefined;
  const all = group.map(({ call }) => argumentsOf(call.call));
  const isOne = isOneProject(group);
  const form: Record<string, unknown> = {};
  const own = valuesOf(first.call.call);
  for (const [key, value] of all[0] ?? []) {
    const values = all.map((one) => one?.get(key) ?? '');
    const isKept = group.every(({ kept = [] }, n) => kept.includes(values[n] ?? ''));
    const isSame = values.every((other) => other === value);
    const isUnnamed = isSame && value === '<text>';
    // the name of the argument says more than that it is a text
    form[key] =
      isSame && !isUnnamed && (isKept || !isOne || isPlainValue(value))
        ? own[key]
        : generalValue(values, placeholderName(key));
  }
  return all[0] === undefined ? shown(first.call.tool, first.call.call) : shown(first.call.tool, JSON.stringify(form));
}

/** The arguments as they were written: a number stays a number. */
function valuesOf(call: string): Record<string, unknown> {
  const parsed = parseJson(call);
  // Without arguments there is nothing to look up.
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}

const shown = (tool: string, call: string): ShownCall | undefined =>
  call === '' || call.length > LONGEST_SHOWN_CALL ? undefined : { tool, call };

/** The names in the calls may be those of one project. */
function isOneProject(group: readonly ObservedForm[]): boolean {
  const projects = new Set(group.flatMap(({ project }) => project ?? []));
  return new Set(group.map(({ origin }) => origin)).size < 2 || projects.size === 1;
}

const isKeptWord = (text: string, kept: readonly string[]): boolean =>
  kept.includes(text) || (text.includes('=') && kept.includes(text.slice(text.indexOf('=') + 1)));

/** A flag of an argument or a small number, which names no person. */
const isPlainValue = (value: string): boolean =>
  /^(?:true|false|null|-?\d{1,3}|)$/.test(value) || ONE_VALUE.test(value);

function isPrivate(word: CallWord, isOne: boolean): boolean {
  const { role, text } = word;
  if (!isOne || role === 'operator' || role === 'subcommand' || ONE_VALUE.test(text)) return false;
  if (role === 'program') return text.includes('/') && !SYSTEM_PROGRAM.test(text) && /\.[a-z]{1,5}$/.test(text);
  const value = role === 'operand' ? text : text.includes('=') ? text.slice(text.indexOf('=') + 1) : '';
  if (value === '' || CONVENTIONAL.test(value) || /^[a-z]{0,12}<[a-z ]{1,30}>$/.test(value)) return false;
  return isPathLike(value) || (role === 'operand' && NAMED_THING.has(nameOfPlace(word)));
}

const isPathLike = (value: string): boolean =>
  /[^<]\/|^\//.test(value) || /\w\.[A-Za-z][A-Za-z0-9]{0,7}(?:::.{0,200})?$/.test(value);

/** A word with a placeholder that covers all these texts. */
function generalWord(word: CallWord, texts: readonly string[], isOne: boolean): string {
  const { role, text } = word;
  const at = text.indexOf('=');
  if (role === 'assignment' || (role === 'flag' && at > 0))
    return `${text.slice(0, at + 1)}${generalText(
      texts.map((one) => one.slice(at + 1)),
      nameOfPlace(word),
      isOne,
    )}`;
  if (role === 'flag') return `${text.slice(0, 2)}<number>`;
  return generalText(texts, nameOfPlace(word), isOne);
}

const STATEMENT =
  /^(?:select|insert into|update|delete from|create table|alter table|drop table|describe|desc|show columns from|show|explain|pragma|use) (?=\S)/i;

/** What an SQL statement does: its first words. */
const statementOf = (text: string): string => STATEMENT.exec(text)?.[0] ?? '';

/** The value of an argument: an SQL statement keeps what it does. */
function generalValue(texts: readonly string[], name: string): string {
  const statement = statementOf(texts[0] ?? '');
  if (statement === '' || texts.some((text) => statementOf(text) !== statement)) return generalText(texts, name);
  const rest = /^use/i.test(statement)
    ? 'database'
    : /^(?:desc|update|.{1,20}(?:from|into|table))/i.test(statement)
      ? 'table'
      : name;
  const isWord = texts.every((text) => /^\S{1,80}$/.test(text.slice(statement.length)));
  return `${statement}<${isWord || rest === 'database' ? rest : name}>`;
}

function generalText(texts: readonly string[], name: string, isOne = true): string {
  const every = (pattern: RegExp): boolean => texts.every((text) => pattern.test(text));
  for (const quote of ['"', "'"])
    if (texts.every((text) => text.length > 2 && text.startsWith(quote) && text.endsWith(quote)))
      return `${quote}<${name}>${quote}`;
  if (every(/^\d{1,12}$/)) return name === 'value' || name === 'file' ? '<number>' : `<${name}>`;
  if (every(/^-\d{1,12}$/)) return '-<number>';
  const [first = ''] = texts;
  // the name of an image that is built is up to the reader
  const pinned = name === 'image tag' ? undefined : /^([\w.\-[\]/]{1,80}?(?:==|@|:))[^/]{1,80}$/.exec(first)?.[1];
  if (
    pinned !== undefined &&
    every(/\d/) &&
    texts.every((text) => text.length > pinned.length && text.startsWith(pinned))
  )
    return `${pinned}<${pinned.endsWith(':') ? 'image tag' : 'version'}>`;
  if (every(/[^/:]::./)) {
    const files = texts.map((text) => text.slice(0, text.indexOf('::')));
    return `${generalFile(files, isOne)}::<test>`;
  }
  return every(/.\.[A-Za-z][A-Za-z0-9]{0,7}$/) ? generalFile(texts, isOne) : `<${name}>`;
}

/** `<file>.py` if all have that extension, in the folder that all projects have, such as `scripts`. */
function generalFile(texts: readonly string[], isOne: boolean): string {
  const extensions = new Set(texts.map((text) => /(?<=.)\.[A-Za-z][A-Za-z0-9]{0,7}$/.exec(text)?.[0] ?? ''));
  const [extension = ''] = extensions;
  const folders = new Set(texts.map((text) => /^[\w.-]{1,60}\/(?=[^/]{1,200}$)/.exec(text)?.[0]));
  const [shared] = folders;
  const isShared = shared !== undefined && folders.size === 1 && !isOne;
  const folder = isShared ? shared : texts.every((text) => /[^/]\/[^/]/.test(text)) ? '<folder>/' : '';
  return extensions.size === 1 ? `${folder}<file>${extension}` : `${folder}<file>`;
}
