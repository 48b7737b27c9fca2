import type { Argument, Command, Option } from 'commander';
import { optional } from '../../platform/base/optional.js';
import { optionsOf, visibleCommands } from './command-tree.js';

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** What may stand at the cursor: known words, the names of a kind of thing on the server, or a file. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** The placeholder of the argument, such as `skill`. */
  readonly placeholder?: string;
  /** What stands before the name in the same word, such as `--skill=`. */
  readonly prefix: string;
  /** The beginning of the word. */
  readonly typed: string;
  /** The address that the words give with `--server`. */
  readonly server?: string;
}

/** Follows the words up to the last one, which the cursor is in, through the tree of commands. */
export function completionAt(program: Command, words: readonly string[]): Completion {
  const typed = words.at(-1) ?? '';
  const position = walk(program, words.slice(0, -1));
  const server = optional('server', position.server);
  const [flag = '', value] = splitOption(typed);
  const given = position.isLiteral ? undefined : optionNamed(position.command, flag);
  if (position.option !== undefined && !(isOption(typed) && position.option.variadic))
    return { ...whatFor(position.option), prefix: '', typed, ...server };
  if (given !== undefined && value !== undefined)
    return { ...whatFor(given), prefix: `${flag}=`, typed: value, ...server };
  if (isOption(typed) && !position.isLiteral)
    return { candidates: takenOptions(position.command), prefix: '', typed, ...server };
  return { ...argumentAt(position), prefix: '', typed, ...server };
}

interface Position {
  command: Command;
  /** Number of arguments before the cursor. */
  given: number;
  /** The option whose value is next. */
  option?: Option | undefined;
  /** After `--`, no word is an option. */
  isLiteral: boolean;
  server?: string;
}

function walk(program: Command, words: readonly string[]): Position {
  const at: Position = { command: program, given: 0, isLiteral: false };
  for (const word of words) {
    if (at.option !== undefined && !(isOption(word) && at.option.variadic)) takeValue(at, word);
    else if (word === '--') Object.assign(at, { isLiteral: true, option: undefined });
    else if (isOption(word) && !at.isLiteral) takeOption(at, word);
    else takeWord(at, word);
  }
  return at;
}

function takeValue(at: Position, word: string): void {
  if (at.option?.long === '--server') at.server = word;
  if (at.option?.variadic !== true) at.option = undefined;
}

function takeOption(at: Position, word: string): void {
  const [flag, value] = splitOption(word);
  const option = optionNamed(at.command, flag);
  at.option = option?.required && value === undefined ? option : undefined;
  if (option?.long === '--server' && value !== undefined) at.server = value;
}

function takeWord(at: Position, word: string): void {
  const command = at.given === 0 && !at.isLiteral ? at.command.commands.find((one) => one.name() === word) : undefined;
  if (command === undefined) at.given += 1;
  else at.command = command;
}

const isOption = (word: string): boolean => word.startsWith('-') && word !== '-';

function splitOption(word: string): [flag: string, value?: string] {
  const at = word.indexOf('=');
  return at < 0 || !word.startsWith('--') ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

/** A group with a default sub-command takes the options of that command too. */
function takers(command: Command): Command[] {
  // The library has no other way to ask for the default.
  const name: unknown = Reflect.get(command, '_defaultCommandName');
  return [command, ...command.commands.filter((one) => one.name() === name)];
}

const optionNamed = (command: Command, flag: string): Option | undefined =>
  takers(command)
    .flatMap(optionsOf)
    .find(({ long, short }) => flag !== '' && (long === flag || short === flag));

function takenOptions(command: Command): Candidate[] {
  const options = new Map(takers(command).flatMap((one) => optionsOf(one).map((option) => [option.long, option])));
  return [...options.values()].flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));
}

function argumentAt({ command, given, isLiteral }: Position): Pick<Completion, 'candidates' | 'placeholder'> {
  const words = given === 0 && !isLiteral ? named(command) : [];
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[given] ?? (last?.variadic ? last : undefined);
  if (argument === undefined) return { candidates: words };
  // `guildbook help` takes the names of commands.
  if (argument.name() === 'command') return { candidates: command.parent === null ? [] : named(command.parent) };
  const { candidates, placeholder } = whatFor(argument);
  return { candidates: [...words, ...candidates], ...optional('placeholder', placeholder) };
}

/** The sub-commands that the help lists. */
const named = (group: Command): Candidate[] =>
  visibleCommands(group).map((one) => ({ value: one.name(), description: one.description() }));

/** The words, or the placeholder, of what an option or an argument takes. */
function whatFor(taker: Option | Argument): Pick<Completion, 'candidates' | 'placeholder'> {
  if (taker.argChoices !== undefined)
    return { candidates: taker.argChoices.map((value) => ({ value, description: '' })) };
  const placeholder = 'flags' in taker ? /[<[]([\w-]+)/.exec(taker.flags)?.[1] : taker.name();
  return { candidates: [], ...optional('placeholder', placeholder) };
}
