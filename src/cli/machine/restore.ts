import type { Command } from 'commander';
import { sumBy } from '../../platform/base/sum.js';
import { formatCount, print, printError, printJson } from '../terminal/terminal.js';
import { unknownKeys } from './backup.js';
import { onMachine, rowProgress } from './machine-command.js';
import { type MachineOptions, settingsOption } from './settings-option.js';

export function restoreCommand(program: Command): void {
  program
    .command('restore')
    .description('restore a backup into an empty database and skills folder')
    .argument('<folder>', 'folder that "guildbook backup" wrote')
    .addOption(settingsOption())
    .action(async (from: string, { settings }: MachineOptions, command: Command) => {
      const result = await onMachine(settings, async (config) => {
        const { restore } = await import('../../operations/backup/restore.service.js');
        const progress = rowProgress('Restoring');
        const restored = await restore(config, from, progress.update);
        progress.end();
        return restored;
      });
      const { manifest, journal, database, skillsDir, keyFile } = result;
      const head = { seq: journal.seq, hash: journal.hash };
      if (journal.checkpoints.unknown > 0) printError(unknownKeys(journal.checkpoints.unknown));
      if (command.optsWithGlobals()['json'] === true)
        return printJson({ database, rows: manifest.rows, journal: head, skillsDir, keyFile });
      const rows = formatCount(
        sumBy(Object.values(manifest.rows), (count) => count),
        'row',
      );
      print(`Restored the backup of ${manifest.createdAt}: ${rows} (${database}), ${skillsDir} and ${keyFile}.`);
      print(`The journal is intact and ends at ${head.seq}:${head.hash}`);
      print('Run only one server on this state: two that publish to one remote disturb each other.');
    });
}
