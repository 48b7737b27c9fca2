import { parseCommandLine, type SimpleCommand, type Word } from '../../untrusted/shell/command-line.js';
import { type Content, contentOf, isMessageFlag, lineOfShell, literalText, namesSecret } from './command-content.js';
import { normaliseWord } from './normalised-word.js';
import { locateProgram } from './program.js';

const MAX_SHELL_DEPTH = 3;
/** Words of shell grammar that stay as they are. */
const GRAMMAR: ReadonlySet<string> = new Set(['!', '{', '}', '[', ']', '[[', ']]', '.', '..', '-', '--']);

/** `/usr/bin/python3` is another program than `python3`. */
const SYSTEM_PROGRAM = /^\/(?:usr\/(?:local\/)?)?s?bin\/[\w.+-]{1,60}$/;

const PLACEHOLDERS: Readonly<Record<Content, string>> = {
  code: '[code]',
  shell: '[code]',
  message: '[text]',
  secret: '[value]',
  web: '[value]',
  pattern: '[text]',
  script: '[text]',
  edit: '[text]',
  print: '[text]',
};

/**
 * The commands of a normalised line as they are compared: without the values that tell two uses of one action apart.
 * `bash -lc 'cd x && pytest'` is its inner command.
 */
export function formOf(commands: readonly SimpleCommand[]): SimpleCommand[] {
  return unwrapShells(commands).map((command) => ({
    ...command,
    words: formWords(command).map((text) => ({ text, quoted: false, code: false, source: text })),
    redirects: command.redirects.map(({ operator, target }) => ({ operator, target: formTarget(operator, target) })),
  }));
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

function formWords(command: SimpleCommand): string[] {
  const content = contentOf(command);
  const { index } = locateProgram(command.words.map(literalText));
  const out: string[] = [];
  for (const [at, word] of command.words.entries()) {
    const text = literalText(word);
    const kind = content.get(at);
    const keep = !word.quoted && GRAMMAR.has(text);
    const isProgram = at === index && SYSTEM_PROGRAM.test(text);
    const next = kind === undefined ? (keep || isProgram ? text : formWord(text)) : PLACEHOLDERS[kind];
    // a long echo is one text, however many words it has
    if (next !== '[text]' || out.at(-1) !== '[text]') out.push(next);
  }
  return out;
}

function formWord(text: string): string {
  if (text.startsWith('[path]/')) return text.includes('$') ? '[path]' : normaliseWord(text.replace(/(?<=.)\/$/, ''));
  const assigned = /^((?:--?)?[\w-]{0,60}?)\+?=/.exec(text)?.[1];
  if (assigned === undefined || assigned === '') return normaliseWord(text);
  const value = text.slice(text.indexOf('=') + 1);
  if (namesSecret(`-${assigned}`)) return `${assigned}=[value]`;
  // a mode (`NODE_ENV=test`) tells two uses apart; a path or a list of options is one of many
  if (/^[A-Z_][A-Z0-9_]*$/.test(assigned)) return /^[\w.,+-]{1,40}$/.test(value) ? text : `${assigned}=[value]`;
  if (isMessageFlag(assigned)) return `${assigned}=[text]`;
  if (assigned.startsWith('-')) return `${assigned}=${normaliseWord(value)}`;
  return normaliseWord(text);
}

function formTarget(operator: string, target: string): string {
  if (target === '') return operator === '<<' ? '' : '[text]';
  return /^(?:\d|-)$/.test(target) ? target : normaliseWord(target);
}
