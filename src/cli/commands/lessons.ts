import type { Command } from 'commander';
import { type ConnectionOptions, connect } from '../server/session.js';
import { formatCount, oneLine, print, printJson } from '../terminal/terminal.js';

export function lessonsCommand(program: Command): void {
  program
    .command('lessons')
    .description('list the private lessons of all agents, newest first')
    .option('--limit <n>', 'maximum number of lessons', '20')
    .action((options: { limit: string }) => lessons(program.opts<ConnectionOptions>(), options.limit));
}

async function lessons(options: ConnectionOptions, limit: string): Promise<void> {
  const { items, total } = await (await connect(options)).lessons({ limit });
  if (options.json) return printJson({ items, total });
  if (items.length === 0)
    return print('No lessons yet. Lessons come from reported executions that failed or recovered.');
  for (const { lesson, provenance, proposer, createdAt } of items)
    print(`- ${oneLine(lesson.discovery)}\n    ${oneLine(`${provenance}, written by ${proposer}, ${createdAt}`)}`);
  print(`\n${items.length} of ${formatCount(total, 'lesson')}`);
}
