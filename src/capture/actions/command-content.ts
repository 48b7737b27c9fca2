import type { SimpleCommand, Word } from '../../untrusted/shell/command-line.js';
import { isPlaceholder } from './placeholder.js';
import { basename, isPython, locateProgram } from './program.js';

/**
 * What a word of a command is by its position: code of an interpreter, a command line for a shell, a message, a
 * secret, a header or body, a search pattern, a script, or a text to print.
 */
export type Content = 'code' | 'shell' | 'message' | 'secret' | 'web' | 'pattern' | 'script' | 'edit' | 'print';

const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh']);
const VERSION_CONTROL: ReadonlySet<string> = new Set(['git', 'gh', 'glab', 'hg', 'svn', 'jj']);
const MESSAGE_FLAG = /^(?:-[a-z]{0,3}m|--message|--title|--body|--notes)$/;
/** Flags whose value is a text for people in every program. */
const TEXT_FLAG = /^--(?:message|title|body|notes|description|comment|prompt|summary|subject)$/;
const SECRET_FLAG = /^--?[\w-]{0,40}(?:pass|token|secret|key|cred|auth|cookie)[\w-]{0,40}$/i;
const NO_SECRET_FLAG =
  /^--?(?:pass-?with-?no-?tests|keywords?|tokeni[sz]ers?|(?:max|min)[_-]?tokens?|sort[_-]?keys?)$/i;
/** A flag that names the file in which a secret is, and a relative path in plain words: `--pass-file .vault-pass`. */
const SECRET_FILE =
  /^[\w-]{1,60}(?:[_-](?:file|path)|_(?:FILE|PATH)) (?=.{1,80}$)(?:\.{1,2}\/){0,3}(?:\.?[a-z][a-z_-]{0,30}\/){0,4}(?:\.[a-z][a-z_-]{0,30}|(?<=\/)[a-z][a-z_-]{0,30}|[a-z][a-z_-]{0,30}\.[a-z]{2,4})$/;
/** Every flag after which some program takes code or a command line. */
const MAY_TAKE_CODE = /^(?:-[a-zA-Z]{1,5}|--(?:eval|execute|exec|print|command))$/;
const WEB_PROGRAMS: ReadonlySet<string> = new Set(['curl', 'wget', 'http', 'https', 'xh']);
const WEB_VALUE_FLAG = /^(?:-[uHdFbAe]|--(?:user|header|data[\w-]{0,20}|json|form|cookie|user-agent|referer))$/;
/** Programs whose first operand is a pattern or script, with their short options that take a value. */
const SEARCH: ReadonlyMap<string, string> = new Map([
  ['grep', 'ABCmdD'],
  ['egrep', 'ABCmdD'],
  ['fgrep', 'ABCmdD'],
  ['zgrep', 'ABCmdD'],
  ['rg', 'ABCmgtTEjM'],
  ['ag', 'ABCmGp'],
  ['ack', 'ABCm'],
  ['sed', 'l'],
  ['awk', 'Fv'],
  ['gawk', 'Fv'],
  ['jq', ''],
  ['yq', ''],
]);
const SCRIPTED: ReadonlySet<string> = new Set(['sed', 'awk', 'gawk', 'jq', 'yq']);
/** Programs whose operands with blanks are statements. */
const QUERY_PROGRAMS: ReadonlySet<string> = new Set(['sqlite3', 'duckdb', 'bq']);

/** The literal text of a word. A word with a substitution has none, except the name in an assignment or option. */
export function literalText(word: Word): string {
  if (!word.code) return word.text;
  const name = /^((?:--?)?[A-Za-z_][\w-]{0,60})\+?=/.exec(word.text)?.[1];
  return name === undefined ? '[code]' : `${name}=[code]`;
}

/** The words of a command that are content by their position, by index. */
export function contentOf({ words }: SimpleCommand): Map<number, Content> {
  const texts = words.map(literalText);
  const index = locateProgram(texts);
  const program = basename(texts[index] ?? '');
  const found = contentOfOperands(words, texts, index, program);
  for (let at = index + 2; at < texts.length; at += 1) {
    const content = contentAfterFlag(program, texts, index, at);
    if (content !== undefined) found.set(at, content);
  }
  return found;
}

/** The command line that `bash -lc '…'` runs; undefined for another program, also one that runs a shell. */
export function lineOfShell(command: SimpleCommand): Word | undefined {
  const index = locateProgram(command.words.map(literalText));
  if (!SHELLS.has(basename(command.words[index]?.text ?? ''))) return undefined;
  const at = [...contentOf(command)].find(([, content]) => content === 'shell')?.[0];
  const line = at === undefined ? undefined : command.words[at];
  return line === undefined || line.code ? undefined : line;
}

/** True if the name of a flag or variable says that its value is a secret, and not the file that has it. */
export function namesSecret(flag: string, value = ''): boolean {
  return SECRET_FLAG.test(flag) && !NO_SECRET_FLAG.test(flag) && !SECRET_FILE.test(`${flag} ${value}`);
}

export function isMessageFlag(flag: string): boolean {
  return MESSAGE_FLAG.test(flag) || TEXT_FLAG.test(flag);
}

function contentAfterFlag(program: string, texts: readonly string[], index: number, at: number): Content | undefined {
  const flag = texts[at - 1] ?? '';
  if (!flag.startsWith('-')) return undefined;
  const value = texts[at] ?? '';
  if (MAY_TAKE_CODE.test(flag)) {
    const runners = [...texts.slice(index, index + 3), ...texts.slice(Math.max(index, at - 4), at - 1)].map(basename);
    if (/^-[a-zA-Z]{0,4}c$/.test(flag) && runners.some((word) => SHELLS.has(word)))
      return isPlaceholder(value) ? 'code' : 'shell';
    if (isCodeFlag(runners, flag)) return 'code';
  }
  if (isMessage(program, texts.slice(index + 1, at - 1), flag, value)) return 'message';
  if (WEB_PROGRAMS.has(program) && WEB_VALUE_FLAG.test(flag)) return 'web';
  return namesSecret(flag, value) && !value.startsWith('-') ? 'secret' : undefined;
}

function isMessage(program: string, before: readonly string[], flag: string, value: string): boolean {
  if (TEXT_FLAG.test(flag)) return !value.startsWith('-');
  if (/^\d{1,3}$/.test(value)) return false; // the parent of `git revert -m 1`
  if (program === 'gh' || program === 'glab') return /^-[bt]$/.test(flag) || MESSAGE_FLAG.test(flag);
  if (program === 'docker') return before.includes('commit') && MESSAGE_FLAG.test(flag);
  if (program === 'alembic' || program === 'flask') return MESSAGE_FLAG.test(flag);
  return (
    VERSION_CONTROL.has(program) && MESSAGE_FLAG.test(flag) && !/^(?:branch|checkout|switch)$/.test(before[0] ?? '')
  );
}

function isCodeFlag(runners: readonly string[], flag: string): boolean {
  if (/^--(?:eval|execute|exec)$/.test(flag)) return true;
  if (runners.some((word) => isPython(word))) return /^-[a-zA-Z]{0,4}c$/.test(flag);
  if (runners.some((word) => /^(?:node|nodejs|tsx|ts-node|bun|deno)$/.test(word)))
    return /^(?:-[ep]|-pe|--print)$/.test(flag);
  if (runners.some((word) => /^(?:perl|ruby|php)$/.test(word))) return /^-[a-z]{0,4}[er]$/i.test(flag);
  if (runners.some((word) => /^(?:Rscript|julia|lua|elixir|osascript)$/.test(word))) return flag === '-e';
  if (runners.some((word) => word === 'psql')) return /^(?:-c|--command)$/.test(flag);
  return runners.some((word) => /^(?:mysql|mariadb)$/.test(word)) && flag === '-e';
}

/** Operands that are content by their position: arguments of echo, patterns of grep, scripts of sed and awk. */
function contentOfOperands(
  words: readonly Word[],
  texts: readonly string[],
  index: number,
  program: string,
): Map<number, Content> {
  const found = new Map<number, Content>();
  const operands = operandsAfter(texts, index, SEARCH.get(program) ?? '');
  if (program === 'echo' || program === 'printf') {
    for (const at of operands) found.set(at, 'print');
  } else if (QUERY_PROGRAMS.has(program)) {
    for (const at of operands) if (/\s/.test(texts[at] ?? '')) found.set(at, 'code');
  } else if (SEARCH.has(program)) {
    const content = contentOfScript(program, texts, index);
    const explicit = texts.findIndex(
      (text, at) => at > index && /^(?:-[a-zA-Z]{0,5}e|--regexp|--expression)$/.test(text),
    );
    const first = explicit >= 0 && program !== 'jq' ? explicit + 1 : operands[0];
    if (first !== undefined && first < texts.length) found.set(first, content);
    for (const at of operands) if (words[at]?.quoted === true) found.set(at, content);
  }
  return found;
}

/** A script of `sed -i` is an edit. */
function contentOfScript(program: string, texts: readonly string[], index: number): Content {
  if (!SCRIPTED.has(program)) return 'pattern';
  const edits =
    program === 'sed' && texts.slice(index + 1).some((text) => /^(?:-[a-zA-Z]{0,4}i|--in-place)/.test(text));
  return edits ? 'edit' : 'script';
}

function operandsAfter(texts: readonly string[], index: number, valued: string): number[] {
  const found: number[] = [];
  for (let at = index + 1; at < texts.length; at += 1) {
    const text = texts[at] ?? '';
    if (!text.startsWith('-') || text === '-') found.push(at);
    else if (/^-[a-zA-Z]{1,5}$/.test(text) && valued.includes(text.slice(-1))) at += 1;
  }
  return found;
}
