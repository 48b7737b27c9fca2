import type { Command } from 'commander';
import { CliError } from '../terminal/cli-error.js';
import { EXIT } from '../terminal/exit-codes.js';
import { everyCommand, pathOf, visibleCommands } from './command-tree.js';
import { nearest } from './nearest.js';

/** `guildbook help [command...]` at any depth; the library's own knows one level and ignores an unknown word. */
export function helpCommand(program: Command): void {
  for (const command of [program, ...everyCommand(program)]) command.helpCommand(false);
  program
    .command('help [command...]')
    .description('show the help of a command, such as "help proposals approve"')
    .action((words: string[]) => commandOf(program, words).outputHelp());
}

function commandOf(program: Command, words: readonly string[]): Command {
  let found = program;
  for (const word of words) {
    const next = found.commands.find((one) => one.name() === word);
    if (next === undefined) throw unknownWord(found, word);
    found = next;
  }
  return found;
}

function unknownWord(group: Command, word: string): CliError {
  const names = visibleCommands(group).map((one) => one.name());
  const near = nearest(word, names).map((name) => `${pathOf(group)} ${name} --help`);
  return new CliError(
    EXIT.usage,
    'usage.unknown_command',
    `Unknown command "${pathOf(group)} ${word}".`,
    near.length > 0 ? `Did you mean: ${near.join(', or: ')}` : undefined,
  );
}
