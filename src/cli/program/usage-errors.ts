import { type Command, CommanderError } from 'commander';
import { editDistance } from '../../platform/config/nearest-name.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { commandProcess } from '../terminal/command-process.js';
import { failureOf } from '../terminal/failure.js';
import { everyCommand, optionsOf, pathOf, rootOf, visibleCommands } from './command-tree.js';

/** A command of this name in many groups is no help. */
const MAX_ELSEWHERE = 5;
/** Columns of the help where it goes to no terminal. */
const PLAIN_WIDTH = 80;

/**
 * Lets every command throw a `CliError` for a wrong command line, with the nearest word as its hint, instead of printing
 * and exiting. Call it when the tree is complete.
 */
export function throwUsageErrors(program: Command): void {
  for (const command of [program, ...everyCommand(program)])
    command
      .showSuggestionAfterError(false)
      .configureOutput({
        writeOut: (text) => commandProcess().stdout.write(text),
        getOutHelpWidth: () => commandProcess().stdout.columns ?? PLAIN_WIDTH,
        writeErr: () => undefined,
        outputError: () => undefined,
      })
      .exitOverride((error) => {
        throw usageError(command, error);
      });
}

/** Help and version end a command line without being an error. */
export const isAnswered = (error: unknown): boolean => error instanceof CommanderError && error.exitCode === 0;

function usageError(command: Command, error: CommanderError): Error {
  if (error.exitCode === 0) return error;
  switch (error.code) {
    case 'commander.help':
      return missingCommand(command);
    case 'commander.unknownCommand':
      return unknownCommand(command, command.args[0] ?? '');
    case 'commander.excessArguments':
      return excessArgument(command, error);
    case 'commander.unknownOption':
      return unknownOption(command, error);
    default:
      return usage(error, `For help: ${pathOf(command)} --help`);
  }
}

const usage = (error: CommanderError, hint: string): CliError => {
  const { code, message } = failureOf(error);
  return new CliError(EXIT.usage, code, message, hint);
};

/** Without a sub-command, a group shows its help. A script wants an answer that it can parse. */
function missingCommand(command: Command): Error {
  if (rootOf(command).opts<{ json?: boolean }>().json)
    return new CliError(
      EXIT.usage,
      'usage.missing_command',
      `${pathOf(command)} needs a command.`,
      `Commands: ${visibleCommands(command)
        .map((one) => one.name())
        .join(', ')}`,
    );
  command.outputHelp();
  return new CommanderError(0, 'commander.helpDisplayed', '(help)');
}

function unknownCommand(group: Command, word: string): CliError {
  const near = nearest(
    word,
    visibleCommands(group).map((one) => one.name()),
  ).map((name) => `${pathOf(group)} ${name}`);
  const elsewhere = everyCommand(rootOf(group)).filter((one) => one.name() === word);
  const meant = near.length > 0 ? near : elsewhere.length <= MAX_ELSEWHERE ? elsewhere.map(pathOf) : [];
  return new CliError(
    EXIT.usage,
    'usage.unknown_command',
    `Unknown command "${pathOf(group)} ${word}".`,
    meant.length > 0 ? `Did you mean: ${meant.join(', or: ')}` : `For help: ${pathOf(group)} --help`,
  );
}

/** A group with a default sub-command, or with an action of its own, takes a mistyped sub-command for an argument. */
function excessArgument(command: Command, error: CommanderError): CliError {
  const { parent } = command;
  if (command.commands.length > 0) return unknownCommand(command, command.args[0] ?? '');
  if (parent !== null && isImplied(command, parent)) return unknownCommand(parent, command.args[0] ?? '');
  return usage(error, `For help: ${pathOf(command)} --help`);
}

/** Whether the default sub-command runs without being named. */
const isImplied = (command: Command, group: Command): boolean => group.args[0] !== command.name();

function unknownOption(command: Command, error: CommanderError): CliError {
  const [, flag = ''] = /unknown option '([^'=]*)/.exec(error.message) ?? [];
  const near = nearest(
    flag,
    optionsOf(command).flatMap(({ long }) => (long === undefined || long === null ? [] : [long])),
  );
  const { parent } = command;
  const group = parent !== null && isImplied(command, parent) ? parent : command;
  // An option before the command that it belongs to is not read as that command's.
  const owners = everyCommand(group).filter(({ options }) => options.some(({ long }) => long === flag));
  const hint =
    owners.length > 0 && owners.length <= MAX_ELSEWHERE
      ? `It is an option of: ${owners.map(pathOf).join(', ')}. Write it after the command.`
      : near.length > 0
        ? `Did you mean: ${near.join(', or: ')}`
        : `For help: ${pathOf(command)} --help`;
  return new CliError(EXIT.usage, 'usage.unknown_option', `Unknown option "${flag}" of "${pathOf(command)}".`, hint);
}

/** Changes of one character after which a word is still taken for a mistyped one. */
const MAX_DISTANCE = 3;
const MIN_SIMILARITY = 0.4;
/** Shorter beginnings of a word say too little. */
const MIN_BEGINNING = 3;
const MAX_SUGGESTIONS = 3;

/** The candidates that the word was probably meant to be, if they are equally near; at most three. */
export function nearest(word: string, candidates: readonly string[]): string[] {
  const near = [...new Set(candidates)].flatMap((candidate) => {
    if (word.length >= MIN_BEGINNING && candidate.startsWith(word)) return [{ candidate, distance: 0 }];
    // The work grows with the product of the lengths, and a much longer word is no mistyped command.
    if (Math.abs(word.length - candidate.length) > MAX_DISTANCE) return [];
    const distance = editDistance(word, candidate);
    const longest = Math.max(word.length, candidate.length);
    const isNear = distance <= MAX_DISTANCE && (longest - distance) / longest > MIN_SIMILARITY;
    return isNear ? [{ candidate, distance }] : [];
  });
  const smallest = Math.min(...near.map(({ distance }) => distance));
  return near
    .flatMap(({ candidate, distance }) => (distance === smallest ? [candidate] : []))
    .slice(0, MAX_SUGGESTIONS);
}
