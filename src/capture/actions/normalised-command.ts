import {
  parseCommandLine,
  quoteWord,
  type SimpleCommand,
  standsAlone,
  type Word,
} from '../../untrusted/shell/command-line.js';
import { type Content, contentOf, isMessageFlag, lineOfShell, literalText, namesSecret } from './command-content.js';
import { keepPattern, keepWord, privateNames } from './kept-word.js';

const MAX_LENGTH = 1_000;
const MAX_SHELL_DEPTH = 3;
const ROUNDS = 5;
const MAX_SCRIPT = 80;

/**
 * The part of a raw shell command that may leave the machine. Names, flags, values, quotes and relative paths stay;
 * code, messages, and what is private (secrets, hosts, URLs, e-mail addresses, users, folders of absolute paths) become
 * placeholders in square brackets. At most 1,000 characters, cut between words. Idempotent; never throws.
 */
export function normaliseCommand(command: string): string {
  let text = command;
  // A word can become readable only after the first pass (a Windows path to grep); a few rounds reach the fixed point.
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = normaliseOnce(parseCommandLine(text), 0);
    if (next === text) break;
    text = next;
  }
  return text;
}

/** Replaces each `bash -lc 'cd x && pytest'` by its inner command where `replaces` allows it. */
export function unwrapShells(
  commands: readonly SimpleCommand[],
  replaces: (command: SimpleCommand, line: Word) => boolean = () => true,
  depth = 0,
): SimpleCommand[] {
  return commands.flatMap((command) => {
    const line = lineOfShell(command);
    if (line === undefined || depth >= MAX_SHELL_DEPTH || !replaces(command, line)) return [command];
    const unwrapped = unwrapShells(parseCommandLine(line.text), replaces, depth + 1);
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

function normaliseOnce(parsed: readonly SimpleCommand[], depth: number): string {
  const parts: string[] = [];
  const commands = unwrapShells(parsed, isPlainShell, depth);
  let length = 0;
  for (const simple of commands) {
    const joiner = parts.length === 0 ? [] : joinerOf(simple, parts.at(-1) ?? '');
    for (const part of [...joiner, ...normaliseWords(simple, depth), ...normaliseRedirects(simple)]) {
      length += part.length + 1;
      if (length > MAX_LENGTH) return finish(parts);
      parts.push(part);
    }
  }
  if (commands.at(-1)?.after === '&') parts.push('&');
  return finish(parts).slice(0, MAX_LENGTH);
}

/** A line break after `do` or `then` ends no command. */
function joinerOf({ joiner }: SimpleCommand, before: string): string[] {
  if (joiner !== '' && joiner !== ';') return [joiner];
  return /^(?:do|then|else|\{)$/.test(before) ? [] : [';'];
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

/** Returns whether nothing else is said of the shell than its line. */
const isPlainShell = ({ redirects, words }: SimpleCommand, line: Word): boolean =>
  redirects.length === 0 && words.length === 3 && words[2] === line;

function normaliseWords(command: SimpleCommand, depth: number): string[] {
  const content = contentOf(command);
  const names = privateNames(command.words.map(literalText));
  const out: string[] = [];
  for (const [at, word] of command.words.entries()) {
    const kind = content.get(at);
    const isEmpty = word.text === '' && !word.code;
    const next = isEmpty ? "''" : (names.get(at) ?? normaliseByKind(kind, word, command, depth));
    // a long echo is one text, however many words it has
    if (next !== '[text]' || out.at(-1) !== '[text]') out.push(next);
  }
  return out;
}

function normaliseByKind(kind: Content | undefined, word: Word, command: SimpleCommand, depth: number): string {
  return kind === undefined ? normaliseWordOf(word) : normaliseContent(kind, word, command, depth);
}

/** A word as it is written if nothing in it is private, otherwise its rest with the quotes that it needs. */
function normaliseWordOf(word: Word): string {
  return word.code ? literalText(word) : keptSource(word, keepNamed);
}

function keptSource(word: Word, keep: (text: string) => string): string {
  const { text, source } = word;
  let kept = keep(text);
  if (kept === text && standsAlone(word)) {
    // a path of Windows, whose backslashes a shell reads as escapes
    const written = source.replace(/['"]/g, '');
    kept = source.includes('\\') ? keep(written) : kept;
    if (kept === text || kept === written) return source;
  }
  // `FOO="a b"`: quotes around the name would make it the program
  const name = /^(?:--?)?[\w-]{1,60}\+?=/.exec(source)?.[0] ?? '';
  if (name === '' || !kept.startsWith(name)) return quoteWord(kept, source);
  return `${name}${quoteWord(kept.slice(name.length), source)}`;
}

/** A value that follows `=` of a flag or variable is a secret or a message by the name before it. */
function keepNamed(text: string): string {
  const [, name, value] = /^((?:--?)?[\w-]{1,60}?)\+?=([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined || value === '') return keepWord(text);
  if (isMessageFlag(name)) return `${name}=[text]`;
  if (!isSecretName(name, value) || isHarmless(value)) {
    const kept = keepWord(text);
    return kept === '[text]' ? `${name}=[text]` : kept;
  }
  return `${name}=[value]`;
}

const isSecretName = (name: string, value: string): boolean =>
  namesSecret(`-${name}`, value) ||
  (/^[A-Z_][A-Z0-9_]*$/.test(name) &&
    /(?:^|_)(?:PWD|PW|PIN|DSN|SALT|SK|PAT|OTP|SIGNATURE)$/.test(name) &&
    !/^(?:OLD)?PWD$/.test(name));

/** True for a value that cannot be a secret: a switch, a small number, or a variable. */
function isHarmless(value: string): boolean {
  return /^(?:true|false|yes|no|on|off|none|null|\d{1,2}|\$\w{1,60}|\$\{\w{1,60}\})$/i.test(value);
}

function normaliseContent(kind: Content, word: Word, command: SimpleCommand, depth: number): string {
  const { text } = word;
  switch (kind) {
    case 'shell':
      return depth >= MAX_SHELL_DEPTH || word.code ? '[code]' : shellLine(text, depth);
    case 'code':
      return '[code]';
    case 'message':
    case 'edit':
      return '[text]';
    case 'secret':
      return isHarmless(text) ? normaliseWordOf(word) : '[value]';
    case 'web':
      return isPublicHeader(text) ? normaliseWordOf(word) : '[value]';
    case 'script':
      return word.code || text.length > MAX_SCRIPT ? '[text]' : keptSource(word, keepPattern);
    case 'pattern':
      return word.code ? '[code]' : keptSource(word, keepPattern);
    case 'print':
      return isHarmlessPrint(word, command) ? normaliseWordOf(word) : '[text]';
  }
}

function shellLine(text: string, depth: number): string {
  const line = normaliseOnce(parseCommandLine(text), depth + 1);
  return line === '' ? '[code]' : quoteWord(line, "'");
}

function isPublicHeader(text: string): boolean {
  return (
    /^(?:Content-Type|Accept(?:-Encoding|-Language)?): ?[\w/+.;=, *-]{1,80}$/i.test(text) ||
    /^@[\w./-]{1,80}$/.test(text)
  );
}

/** A variable, a line of dashes, or a short answer to the program behind the pipe is no text of a person. */
function isHarmlessPrint({ text, code }: Word, { after }: SimpleCommand): boolean {
  if (code) return false;
  if (/^(?:\$[\w?#!@*]{1,60}|\$\{\w{1,60}\}|[-=*#_]{1,80})$/.test(text)) return true;
  return after === '|' && /^(?:y|yes|n|no|\d{1,4})$/i.test(text);
}

function normaliseRedirects(command: SimpleCommand): string[] {
  return command.redirects.map(({ operator, target }) => {
    if (operator === '<<') return '<<[code]';
    if (target === '') return `${operator}[text]`;
    if (/^(?:\d|-)$/.test(target)) return `${operator}${target}`;
    return `${operator}${quoteWord(keepWord(target))}`;
  });
}
