import { basename, isPython, locateProgram } from './program.js';

/** What stands for each kind of value that a report does not hold. */
const NAMES: Readonly<Record<string, string>> = {
  path: 'folder',
  dir: 'folder',
  url: 'url',
  host: 'host',
  email: 'email',
  user: 'user',
  code: 'code',
  text: 'text',
  value: 'value',
  var: 'value',
  word: 'name',
  glob: 'files',
  hash: 'hash',
  id: 'id',
  n: 'number',
  number: 'number',
  list: 'list',
  object: 'object',
  boolean: 'true or false',
};
const STORED = /\[(path|dir|url|host|email|user|code|text|value|var|word|glob|hash|id|n|number|list|object|boolean)\]/g;
const FILE = /\[(?:file|script):(\.[a-z0-9]{1,8})\]/g;
const SECRET = /\[REDACTED:[a-z0-9-]{1,64}\]/g;
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['commit', 'commit message'],
  ['tag', 'tag message'],
  ['merge', 'commit message'],
]);
const QUERY_PROGRAMS = /^(?:psql|mysql|mariadb|sqlite3|duckdb|bq)$/;

/** The text with a named placeholder for each stored one: `[path]/a.py` is `<folder>/a.py`. */
export function withNamedPlaceholders(text: string): string {
  return text
    .replace(SECRET, '<secret>')
    .replace(FILE, '<file>$1')
    .replace(STORED, (_, kind: string) => `<${NAMES[kind] ?? 'value'}>`);
}

/**
 * One word of a normalised command with a placeholder that says what goes in its place. `before`: the words in front of
 * it.
 */
export function shownWord(word: string, before: readonly string[]): string {
  if (!word.includes('[')) return word;
  const index = locateProgram(before);
  const program = basename(before[index] ?? '');
  if (word === '<<[code]') return `<<EOF <${documentName(program)}> EOF`;
  const [, redirect, target] = /^(\d?(?:>>?|<))(\[.*)$/.exec(word) ?? [];
  if (redirect !== undefined && target !== undefined) return `${redirect} ${withNamedPlaceholders(target)}`;
  const [, name = '', placeholder = ''] =
    /^(?:(--?[\w-]{1,40}|\w{1,60})=)?\[(text|code|value|hash|url)\]$/.exec(word) ?? [];
  if (placeholder === '') return withNamedPlaceholders(word);
  const flag = name === '' ? (before.at(-1) ?? '') : name;
  const shown = placeholderFor(placeholder, program, flag, before.slice(index + 1));
  return name === '' ? shown : `${name}=${shown}`;
}

function placeholderFor(placeholder: string, program: string, flag: string, words: readonly string[]): string {
  switch (placeholder) {
    case 'text':
      return `"<${textName(program, flag, words)}>"`;
    case 'code':
      if (QUERY_PROGRAMS.test(program)) return '"<sql statement>"';
      return /^-/.test(flag) && [program, ...words].some(isInterpreter) ? '<code>' : '<value>';
    case 'value':
      return valueNamed(program, flag);
    case 'hash':
      return program === 'git' ? '<commit>' : '<hash>';
    default:
      return program === 'git' && words.includes('clone') ? '<repository url>' : '<url>';
  }
}

function textName(program: string, flag: string, words: readonly string[]): string {
  if (/^--(?:title|subject|body|notes|description|comment|prompt|summary)$/.test(flag)) return flag.slice(2);
  if (/^-[a-z]{0,3}m$|^--message$/.test(flag))
    return MESSAGES.get(words.find((word) => MESSAGES.has(word)) ?? '') ?? 'message';
  if (/^(?:[efz]?grep|rg|ag|ack)$/.test(program)) return 'pattern';
  return /^(?:sed|g?awk|jq|yq)$/.test(program) ? 'script' : 'text';
}

/** `<api key>` after `API_KEY=`, `<token>` after `--token`. */
function valueNamed(program: string, flag: string): string {
  if (/^(?:curl|wget|https?|xh)$/.test(program)) {
    if (/^(?:-H|--header)$/.test(flag)) return '"<header>"';
    if (/^(?:-d|--data[\w-]{0,20}|--json|-F|--form)$/.test(flag)) return '"<body>"';
    if (/^(?:-u|--user)$/.test(flag)) return '<user>';
  }
  const name = flag
    .replace(/^-{1,2}/, '')
    .replace(/[_-]{1,9}/g, ' ')
    .trim()
    .toLowerCase();
  return /^[a-z][a-z0-9 ]{2,29}$/.test(name) ? `<${name}>` : '<value>';
}

function isInterpreter(word: string): boolean {
  const name = basename(word);
  return (
    isPython(name) ||
    /^(?:node|nodejs|tsx|ts-node|bun|deno|ruby|perl|php|bash|sh|zsh|Rscript|julia|lua|elixir|osascript)$/.test(name)
  );
}

function documentName(program: string): string {
  if (/^(?:cat|tee)$/.test(program)) return 'file text';
  return isInterpreter(program) ? 'code' : 'text';
}
