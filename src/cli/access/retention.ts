import type { Command } from 'commander';
import { type ConnectionOptions, connect } from '../server/session.js';
import { retentionText } from '../terminal/retention-text.js';
import { print, printJson } from '../terminal/terminal.js';

export function retentionCommand(program: Command): void {
  program
    .command('retention')
    .description('show for how long reports and deliveries are kept, and what the last run removed')
    .option('--run', 'remove what is older now')
    .option('--dry-run', 'count what a run would remove')
    .action((choice: { run?: true; dryRun?: true }) => retention(program.opts<ConnectionOptions>(), choice));
}

async function retention(options: ConnectionOptions, { run, dryRun }: { run?: true; dryRun?: true }): Promise<void> {
  const client = await connect(options);
  if (run === undefined && dryRun === undefined) {
    const state = await client.retention.state();
    if (options.json) return printJson(state);
    print(`Reports are kept ${duration(state.keepReportsDays)}, deliveries ${duration(state.keepDeliveriesDays)}.`);
    if (state.lastRun)
      print(`Last run, ${state.lastRun.startedAt}, ${state.lastRun.state}: ${retentionText(state.lastRun)}.`);
    return;
  }
  const result = await client.retention.run({ dryRun: dryRun === true });
  if (options.json) return printJson(result);
  print(`${dryRun ? 'A run would remove' : 'Removed'} ${retentionText(result)}.`);
}

const duration = (days: number | null): string => (days === null ? 'for ever' : `for ${days} days`);
