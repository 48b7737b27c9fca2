import { parseCommandLine, type SimpleCommand } from '../../untrusted/shell/command-line.js';
import { basename } from './program.js';

const REMOVED_VALUE = /^([A-Za-z_]\w{0,60})=\[value\]$/;
const ASSIGNMENT = /^([A-Za-z_]\w{0,60})\+?=./;
const INTERPRETER = /^(?:python|pypy|node|ruby|perl|php|java|bash|sh|zsh)[\d.]{0,6}$/;

/**
 * Commands in the form in which they are compared, with the values of variables and the paths of interpreters as the
 * normalised text holds them. A name with several values on one line stays without.
 */
export function withKeptValues(commands: readonly SimpleCommand[], text: string): readonly SimpleCommand[] {
  if (!text.includes('=') && !/(?:^|\s)\//.test(text)) return commands;
  const kept = keptWords(text);
  if (kept.size === 0) return commands;
  return commands.map((command) => ({
    ...command,
    words: command.words.map((word) => {
      const found = REMOVED_VALUE.test(word.text) || word.text.startsWith('[path]/') ? kept.get(word.text) : undefined;
      return found ? { ...word, text: found } : word;
    }),
  }));
}

/** The words of a text by their form: `NAME=[value]`, `[path]/python3`; empty if two words have one form. */
function keptWords(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { words } of parseCommandLine(text))
    for (const { text: word, code } of words) {
      const name = code ? undefined : ASSIGNMENT.exec(word)?.[1];
      const isPath = word.startsWith('/') && INTERPRETER.test(basename(word));
      const form = name ? `${name}=[value]` : isPath ? `[path]/${basename(word)}` : undefined;
      if (form && form !== word) found.set(form, (found.get(form) ?? word) === word ? word : '');
    }
  return found;
}
