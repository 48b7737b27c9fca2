import type { Command } from 'commander';
import { sumBy } from '../../platform/base/sum.js';
import { formatCount, print, printError, printJson } from '../terminal/terminal.js';
import { onMachine, rowProgress } from './machine-command.js';
import { type MachineOptions, settingsOption } from './settings-option.js';

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
export const unknownKeys = (count: number): string =>
  `${formatCount(count, 'signed head')} of the journal ${count === 1 ? 'has' : 'have'} another key than this server. ` +
  'After a change of the key, set GUILDBOOK_JOURNAL_TRUSTED_KEYS to the old verifier key.';
