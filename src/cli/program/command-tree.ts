import type { Command, Option } from 'commander';

/** Each command of the tree, without the root. */
export function everyCommand(root: Command): Command[] {
  return root.commands.flatMap((command) => [command, ...everyCommand(command)]);
}

/** `guildbook proposals approve`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

export const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent));

/** The sub-commands that the help lists. */
export const visibleCommands = (command: Command): Command[] => command.createHelp().visibleCommands(command);

/** The options that a command takes: its own and those of the groups around it. */
export function optionsOf(command: Command): Option[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...(command.parent === null ? [] : optionsOf(command.parent))];
}
