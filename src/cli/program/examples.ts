import type { Command } from 'commander';
import { everyCommand, pathOf } from './command-tree.js';

/** Examples in the help, by the words of the command. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  login: ['guildbook login --server https://guildbook.example.org --token -', 'guildbook login --browser'],
  connect: ['guildbook connect claude-code', 'guildbook connect codex --gate', 'guildbook connect codex --undo'],
  pause: ['guildbook pause --for 8', 'guildbook pause --project shop'],
  import: ['guildbook import ~/.claude/projects', 'guildbook import --dry-run --agent build-bot traces/'],
  'proposals approve': ['guildbook proposals approve 3f2a1b9c --sha256 0123456789ab'],
  'proposals list': ['guildbook proposals --mine --risk high', 'guildbook --json proposals list --state approved'],
  'agents add': ['guildbook agents add build-bot --owner "platform team" --expires-in-days 90'],
  'people add': ['guildbook people add Rosa --email rosa@example.org --reviewer'],
  'embedder train': ['guildbook embedder train', 'guildbook embedder train --source labelled'],
  'embedder rollback': ["guildbook embedder rollback configured --confirm --reason 'Answers became worse.'"],
  serve: ['guildbook serve', 'guildbook serve --settings /etc/guildbook/server.env'],
  'journal verify': [
    'guildbook journal verify --head 120:4f0c…',
    'guildbook journal verify --file journal.jsonl --key …',
  ],
  sessions: ['guildbook sessions --folder .guildbook', 'guildbook --json sessions search compaction --kind decision'],
  'sessions show': ['guildbook sessions show 2026-05-15-08h00'],
  completion: ['source <(guildbook completion bash)'],
};

/** Adds the examples to the help of their commands. */
export function addExamples(program: Command): void {
  for (const command of everyCommand(program)) {
    const lines = EXAMPLES[pathOf(command).replace(/^guildbook /, '')];
    if (lines) command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  }
}
