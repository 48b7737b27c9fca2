import type { Command } from 'commander';
import { sumBy } from '../../platform/base/sum.js';
import { formatCount, print, printJson } from '../terminal/terminal.js';
import { type MachineOptions, onMachine, rowProgress, settingsOption } from './machine-command.js';

export function moveCommand(program: Command): void {
  program
    .command('move')
    .description('copy the embedded database into the empty PostgreSQL of DATABASE_URL')
    .addOption(settingsOption())
    .action(async ({ settings }: MachineOptions, command: Command) => {
      const { dataDir, rows, journal } = await onMachine(settings, async (config) => {
        const { moveDatabase } = await import('../../operations/backup/move.service.js');
        const progress = rowProgress('Copying');
        const moved = await moveDatabase(config, progress.update);
        progress.end();
        return { ...moved, dataDir: config.dataDir };
      });
      const head = { seq: journal.seq, hash: journal.hash };
      if (command.optsWithGlobals()['json'] === true) return printJson({ rows, journal: head });
      const tables = Object.values(rows);
      print(
        `Moved ${formatCount(
          sumBy(tables, (count) => count),
          'row',
        )} of ${formatCount(tables.length, 'table')}; all are the same in both.`,
      );
      print(`The journal is intact and ends at ${head.seq}:${head.hash}`);
      print(`${dataDir} keeps its data and is not used any more. Start the server with: guildbook serve`);
    });
}
