import { parseCommandLine, type SimpleCommand, type Word } from '../../untrusted/shell/command-line.js';
import { isPlaceholder, normaliseWord } from './normalised-word.js';
import { basename, isPython, locateProgram } from './program.js';

const MAX_LENGTH = 1_000;
const MAX_SHELL_DEPTH = 3;
const ROUNDS = 3;

/** Words of shell grammar that stay as they are. */
const GRAMMAR: ReadonlySet<string> = new Set(['!', '{', '}', '[', ']', '[[', ']]', '.', '..', '-', '--']);
const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh']);
const MESSAGE_FLAG = /^(?:-[a-z]{0,3}m|--message|--title|--body|--notes)$/;
const SECRET_FLAG = /^--?[\w-]{0,40}(?:pass|token|secret|key|cred|auth|cookie)[\w-]{0,40}$/i;
const WEB_PROGRAMS: ReadonlySet<string> = new Set(['curl', 'wget', 'http', 'https', 'xh']);
const WEB_VALUE_FLAG = /^(?:-[uHdFbAe]|--(?:user|header|data[\w-]{0,20}|json|form|cookie|user-agent|referer))$/;
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

/**
 * The part of a raw shell command that may leave the machine. Flags, names and relative paths stay; code, messages,
 * patterns, long quoted text, environment values, URLs and folders of absolute paths become placeholders in square
 * brackets. At most 1,000 characters, cut between words. Idempotent; never throws.
 */
export function normaliseCommand(command: string): string {
  return normaliseFully(normaliseFirstPass(command)).text;
}

/** A normalised command and the simple commands in its normalised text. */
export interface NormalisedCommand {
  readonly text: string;
  readonly commands: readonly SimpleCommand[];
}

/** The first pass only. It removes most of the differences between two uses of a command. */
export function normaliseFirstPass(command: string): string {
  return normaliseOnce(parseCommandLine(command));
}

/**
 * Runs the passes after the first. The last pass changes nothing, so its parsed commands are returned with the text.
 */
export function normaliseFully(command: string): NormalisedCommand {
  let text = command;
  // A word can become readable only after the first pass (a Windows path to grep); a few rounds reach the fixed point.
  for (let round = 0; round < ROUNDS; round += 1) {
    const commands = parseCommandLine(text);
    const next = normaliseOnce(commands);
    if (next === text) return { text, commands };
    text = next;
  }
  return { text, commands: parseCommandLine(text) };
}

function normaliseOnce(parsed: readonly SimpleCommand[]): string {
  const parts: string[] = [];
  const commands = unwrapShells(parsed, 0);
  let length = 0;
  for (const simple of commands) {
    const joiner = parts.length === 0 ? [] : [simple.joiner === '' ? ';' : simple.joiner];
    for (const part of [...joiner, ...normaliseWords(simple), ...normaliseRedirects(simple)]) {
      length += part.length + 1;
      if (length > MAX_LENGTH) return finish(parts);
      parts.push(part);
    }
  }
  if (commands.at(-1)?.after === '&') parts.push('&');
  return finish(parts).slice(0, MAX_LENGTH);
}

/**
 * Removes a trailing operator, which would be parsed differently the next time. The `&` of a background job stays,
 * because it has a meaning.
 */
function finish(parts: readonly string[]): string {
  let end = parts.length;
  while (end > 0 && ['&&', '||', '|', ';'].includes(parts[end - 1] ?? '')) end -= 1;
  return parts.slice(0, end).join(' ');
}

/** Replaces `bash -lc 'cd x && pytest'` by its inner command. */
function unwrapShells(commands: readonly SimpleCommand[], depth: number): SimpleCommand[] {
  return commands.flatMap((command) => {
    const inner = innerCommand(command);
    if (inner === undefined || depth >= MAX_SHELL_DEPTH) return [command];
    const parsed = parseCommandLine(inner.text);
    const unwrapped = unwrapShells(parsed, depth + 1);
    const first = unwrapped[0];
    const last = unwrapped.at(-1);
    if (first === undefined || last === undefined) return [command];
    return unwrapped.map((one) => ({
      ...one,
      joiner: one === first ? command.joiner : one.joiner,
      after: one === last ? command.after : one.after,
    }));
  });
}

function innerCommand(command: SimpleCommand): Word | undefined {
  const { index } = locateProgram(command.words.map(literalText));
  if (!SHELLS.has(basename(command.words[index]?.text ?? ''))) return undefined;
  const flag = command.words.findIndex((word, at) => at > index && /^-[a-z]{0,4}c$/.test(word.text));
  const code = flag < 0 ? undefined : command.words[flag + 1];
  return code === undefined || code.code || isPlaceholder(code.text) ? undefined : code;
}

/** The literal text of a word. A word with a substitution has none, except the name in an assignment or option. */
function literalText(word: Word): string {
  if (!word.code) return word.text;
  const name = /^((?:--?)?[A-Za-z_][\w-]{0,60})\+?=/.exec(word.text)?.[1];
  return name === undefined ? '[code]' : `${name}=[code]`;
}

function normaliseWords(command: SimpleCommand): string[] {
  const texts = command.words.map(literalText);
  const { index } = locateProgram(texts);
  const program = basename(texts[index] ?? '');
  const hidden = hiddenOperands(command.words, texts, index, program);
  const out: string[] = [];
  texts.forEach((text, at) => {
    const keep = command.words[at]?.quoted !== true && GRAMMAR.has(text);
    const next = hidden.get(at) ?? valueAfterFlag(program, texts, index, at) ?? (keep ? text : normaliseOne(text));
    // a long echo is one text, however many words it has
    if (next !== '[text]' || out.at(-1) !== '[text]') out.push(next);
  });
  return out;
}

function normaliseOne(text: string): string {
  const assigned = /^((?:--?)?[\w-]{0,60}?)\+?=/.exec(text)?.[1];
  if (assigned === undefined || assigned === '') return normaliseWord(text);
  if (/^[A-Z_][A-Z0-9_]*$/.test(assigned) || SECRET_FLAG.test(`-${assigned}`)) return `${assigned}=[value]`;
  if (MESSAGE_FLAG.test(assigned)) return `${assigned}=[text]`;
  if (assigned.startsWith('-')) return `${assigned}=${normaliseWord(text.slice(text.indexOf('=') + 1))}`;
  return normaliseWord(text);
}

/** The placeholder for a value that follows a flag: code, a message, a secret or a header. */
function valueAfterFlag(program: string, texts: readonly string[], index: number, at: number): string | undefined {
  const flag = texts[at - 1] ?? '';
  if (at - 1 <= index || !flag.startsWith('-')) return undefined;
  const runner = texts.slice(index, index + 3).map(basename);
  if (isCodeFlag(runner, flag)) return '[code]';
  if ((program === 'git' || program === 'gh' || program === 'hg' || program === 'svn') && MESSAGE_FLAG.test(flag)) {
    return '[text]';
  }
  if (WEB_PROGRAMS.has(program) && WEB_VALUE_FLAG.test(flag)) return '[value]';
  const value = texts[at] ?? '';
  return SECRET_FLAG.test(flag) && !value.startsWith('-') ? '[value]' : undefined;
}

function isCodeFlag(runner: readonly string[], flag: string): boolean {
  if (runner.some((word) => isPython(word) || SHELLS.has(word))) return /^-[a-zA-Z]{0,4}c$/.test(flag);
  if (runner.some((word) => /^(?:node|nodejs|tsx|ts-node|bun)$/.test(word))) {
    return /^(?:-[ep]|-pe|--eval|--print)$/.test(flag);
  }
  if (runner.some((word) => word === 'perl' || word === 'ruby' || word === 'php'))
    return /^-[a-z]{0,4}[er]$/i.test(flag);
  if (runner.some((word) => word === 'psql')) return /^(?:-c|--command)$/.test(flag);
  return runner.some((word) => /^(?:mysql|mariadb)$/.test(word)) && /^(?:-e|--execute)$/.test(flag);
}

/** Operands that are text or code by their position: arguments of echo, patterns of grep, scripts of sed and awk. */
function hiddenOperands(
  words: readonly Word[],
  texts: readonly string[],
  index: number,
  program: string,
): Map<number, string> {
  const hidden = new Map<number, string>();
  const operands = operandsAfter(texts, index, SEARCH.get(program) ?? '');
  if (program === 'echo' || program === 'printf') {
    for (const at of operands) hidden.set(at, '[text]');
  } else if (SEARCH.has(program)) {
    const explicit = texts.findIndex(
      (text, at) => at > index && /^(?:-[a-zA-Z]{0,5}e|--regexp|--expression)$/.test(text),
    );
    const first = explicit >= 0 && program !== 'jq' ? explicit + 1 : operands[0];
    if (first !== undefined && first < texts.length) hidden.set(first, '[text]');
    for (const at of operands) if (words[at]?.quoted === true) hidden.set(at, '[text]');
  }
  return hidden;
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

function normaliseRedirects(command: SimpleCommand): string[] {
  return command.redirects.map(({ operator, target }) => {
    if (operator === '<<') return '<<[code]';
    if (target === '') return `${operator}[text]`;
    if (/^(?:\d|-)$/.test(target)) return `${operator}${target}`;
    return `${operator}${normaliseWord(target)}`;
  });
}
