import type { Command } from 'commander';
import { everyCommand, pathOf } from './command-tree.js';

/** Examples in the help, by command. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  'guildbook login': ['guildbook login --server https://guildbook.example.org --token -', 'guildbook login --browser'],
  'guildbook import': ['guildbook import ~/.claude/projects', 'guildbook import --dry-run --agent build-bot traces/'],
  'guildbook proposals approve': ['guildbook proposals approve 3f2a1b9c --sha256 0123456789ab'],
  'guildbook proposals list': [
    'guildbook proposals --mine --risk high',
    'guildbook --json proposals list --state approved',
  ],
  'guildbook agents add': ['guildbook agents add build-bot --owner "platform team" --expires-in-days 90'],
  'guildbook people add': ['guildbook people add Rosa --email rosa@example.org --reviewer'],
  'guildbook serve': ['guildbook serve', 'guildbook serve --settings /etc/guildbook/server.env'],
  'guildbook journal verify': [
    'guildbook journal verify --head 120:4f0c…',
    'guildbook journal verify --file journal.jsonl --key …',
  ],
  'guildbook completion': ['source <(guildbook completion bash)'],
};

/** Adds the examples to the help of their commands. */
export function addExamples(program: Command): void {
  for (const command of everyCommand(program)) {
    const lines = EXAMPLES[pathOf(command)];
    if (lines) command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  }
}
