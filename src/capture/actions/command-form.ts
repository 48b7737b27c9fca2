import { parseCommandLine, type SimpleCommand } from '../../untrusted/shell/command-line.js';
import { type Content, contentOf, isMessageFlag, lineOfShell, literalText, namesSecret } from './command-content.js';
import { normaliseWord } from './normalised-word.js';

const MAX_SHELL_DEPTH = 3;
/** Words of shell grammar that stay as they are. */
const GRAMMAR: ReadonlySet<string> = new Set(['!', '{', '}', '[', ']', '[[', ']]', '.', '..', '-', '--']);

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
  return unwrapShells(commands, 0).map((command) => ({
    ...command,
    words: formWords(command).map((text) => ({ text, quoted: false, code: false, source: text })),
    redirects: command.redirects.map(({ operator, target }) => ({ operator, target: formTarget(operator, target) })),
  }));
}

function unwrapShells(commands: readonly SimpleCommand[], depth: number): SimpleCommand[] {
  return commands.flatMap((command) => {
    const line = lineOfShell(command);
    if (line === undefined || depth >= MAX_SHELL_DEPTH) return [command];
    const unwrapped = unwrapShells(parseCommandLine(line.text), depth + 1);
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
  const out: string[] = [];
  for (const [at, word] of command.words.entries()) {
    const text = literalText(word);
    const kind = content.get(at);
    const keep = !word.quoted && GRAMMAR.has(text);
    const next = kind === undefined ? (keep ? text : formWord(text)) : PLACEHOLDERS[kind];
    // a long echo is one text, however many words it has
    if (next !== '[text]' || out.at(-1) !== '[text]') out.push(next);
  }
  return out;
}

function formWord(text: string): string {
  const assigned = /^((?:--?)?[\w-]{0,60}?)\+?=/.exec(text)?.[1];
  if (assigned === undefined || assigned === '') return normaliseWord(text);
  if (/^[A-Z_][A-Z0-9_]*$/.test(assigned) || namesSecret(`-${assigned}`)) return `${assigned}=[value]`;
  if (isMessageFlag(assigned)) return `${assigned}=[text]`;
  if (assigned.startsWith('-')) return `${assigned}=${normaliseWord(text.slice(text.indexOf('=') + 1))}`;
  return normaliseWord(text);
}

function formTarget(operator: string, target: string): string {
  if (target === '') return operator === '<<' ? '' : '[text]';
  return /^(?:\d|-)$/.test(target) ? target : normaliseWord(target);
}
