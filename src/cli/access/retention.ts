import type { Command } from 'commander';
import { answer, type ConnectionOptions } from '../server/session.js';
import { retentionText } from '../terminal/retention-text.js';
import { print } from '../terminal/terminal.js';

export function retentionCommand(program: Command): void {
  program
    .command('retention')
    .description('show for how long reports and deliveries are kept, and what the last run removed')
    .option('--run', 'remove what is older now')
    .option('--dry-run', 'count what a run would remove')
    .action((choice: { run?: true; dryRun?: true }) => retention(program.opts<ConnectionOptions>(), choice));
}

const retention = (options: ConnectionOptions, { run, dryRun }: { run?: true; dryRun?: true }): Promise<void> =>
  run === undefined && dryRun === undefined
    ? answer(
        options,
        (client) => client.retention.state(),
        ({ keepReportsDays, keepDeliveriesDays, lastRun }) => {
          print(`Reports are kept ${duration(keepReportsDays)}, deliveries ${duration(keepDeliveriesDays)}.`);
          if (lastRun) print(`Last run, ${lastRun.startedAt}, ${lastRun.state}: ${retentionText(lastRun)}.`);
        },
      )
    : answer(
        options,
        (client) => client.retention.run({ dryRun: dryRun === true }),
        (result) => print(`${dryRun ? 'A run would remove' : 'Removed'} ${retentionText(result)}.`),
      );

const duration = (days: number | null): string => (days === null ? 'for ever' : `for ${days} days`);
