import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program/program.js';
import { PLACEHOLDER } from './command-lines.js';

/** What commander says of a command whose rest is missing. */
const INCOMPLETE = [
  'commander.missingArgument',
  'commander.optionMissingArgument',
  'commander.missingMandatoryOptionValue',
  'commander.help',
];

/** Ends a parse where the action of the command would start. */
class Understood extends Error {}

/**
 * Returns why the program refuses a command line; undefined if it would run it. Nothing is run. A mention may leave out
 * arguments.
 */
export function refusal(text: string, isMention = false): string | undefined {
  const { words: all, isCut } = wordsOf(text);
  // With --help, commander describes the program in place of a command that does not exist.
  const words = all.filter((word) => word !== '--help');
  const isOpen = isCut || isMention || words.length < all.length;
  if (words.length === 0 && isOpen) return undefined;
  const program = createProgram();
  const errors: string[] = [];
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureOutput({ writeErr: (error) => errors.push(error), writeOut: () => undefined });
    for (const checked of [...command.options, ...command.registeredArguments]) {
      const parse = checked.parseArg;
      if (parse)
        checked.parseArg = <T>(value: string, previous: T) =>
          value === PLACEHOLDER ? previous : parse(value, previous);
    }
  }
  program.hook('preAction', () => {
    throw new Understood();
  });
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (error instanceof Understood) return undefined;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'commander.helpDisplayed' || code === 'commander.version') return undefined;
    if (isOpen && INCOMPLETE.some((incomplete) => incomplete === code)) return undefined;
    return errors.join('').split('\n')[0] || String(error);
  }
  return 'names no command that does something';
}

function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** Splits a command line as a shell does, without its redirections. "…" leaves the rest open. */
function wordsOf(text: string): { words: readonly string[]; isCut: boolean } {
  const words: string[] = [];
  const tokens = text.replace(/[[\]]/g, '').match(/(?:<value>|"(?:[^"\\]|\\.)*"|'[^']*'|\d?>>?|<|[^\s"'<>])+/g) ?? [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] ?? '';
    if (token === '…' || token === '...') return { words, isCut: true };
    if (/^\d?(>>?&?|<)$/.test(token)) index += 1;
    else if (!/^\d?>>?&\d$/.test(token) && !/^\d?[<>](?!value)/.test(token))
      words.push(token.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, '$1$2'));
  }
  return { words, isCut: false };
}
