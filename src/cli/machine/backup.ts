import type { Command } from 'commander';
import { sumBy } from '../../platform/base/sum.js';
import { formatCount, print, printError, printJson } from '../terminal/terminal.js';
import { type MachineOptions, onMachine, rowProgress, settingsOption } from './machine-command.js';

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

export function backupCommand(program: Command): void {
  program
    .command('backup')
    .description('write database, skills and signing key into a new folder')
    .argument('<folder>', 'folder that does not exist yet')
    .addOption(settingsOption())
    .action(async (to: string, { settings }: MachineOptions, command: Command) => {
      const { folder, manifest, unknownCheckpoints } = await onMachine(settings, async (config) => {
        const { backUp } = await import('../../operations/backup/backup.service.js');
        const progress = rowProgress('Backing up');
        const result = await backUp(config, to, progress.update);
        progress.end();
        return result;
      });
      const { journal, rows, skills } = manifest;
      const head = { seq: journal.seq, hash: journal.hash };
      const commit = skills?.references['refs/heads/main'] ?? null;
      if (unknownCheckpoints > 0) printError(unknownKeys(unknownCheckpoints));
      if (command.optsWithGlobals()['json'] === true)
        return printJson({ folder, rows, journal: head, skills: commit, unknownCheckpoints });
      print(
        `Wrote ${folder}: ${formatCount(
          sumBy(Object.values(rows), (count) => count),
          'row',
        )}, the skills repository and the signing key.`,
      );
      print(`The journal is intact and ends at ${head.seq}:${head.hash}`);
      print('Keep the folder where only you can read it: the signing key is in it.');
    });
}

/** Old heads that no known key signed are no reason to refuse: their key may be lost. */
const unknownKeys = (count: number): string =>
  `${formatCount(count, 'signed head')} of the journal ${count === 1 ? 'has' : 'have'} another key than this server. ` +
  'After a change of the key, set GUILDBOOK_JOURNAL_TRUSTED_KEYS to the old verifier key.';
