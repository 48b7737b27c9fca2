import type { Command } from 'commander';
import { workerRoleAdvice } from '../../platform/database/worker-role-advice.js';
import { EXIT } from '../terminal/cli-error.js';
import { commandProcess } from '../terminal/command-process.js';
import { formatCount, print, printJson } from '../terminal/terminal.js';
import { type MachineOptions, onMachine, settingsOption } from './machine-command.js';

export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to this version')
    .addOption(settingsOption())
    .option('--check', 'only say what is missing; exit status 1 if something is')
    .action(async ({ settings, check = false }: MachineOptions & { readonly check?: boolean }, command: Command) => {
      const { applied, missing, role, database } = await onMachine(settings, async (config) => {
        const { applyMigrations, checkMigrations } = await import('../../operations/rows/migrations.service.js');
        return check ? checkMigrations(config) : applyMigrations(config);
      });
      if (command.optsWithGlobals()['json'] === true) {
        printJson({ database, applied, missing, roleProblem: role?.problem ?? null });
      } else if (check) {
        if (missing.length === 0) print('Nothing is missing.');
        else print(`Missing: ${formatCount(missing.length, 'migration')}\n  ${missing.join('\n  ')}`);
      } else {
        if (applied.length === 0) print('Nothing was missing.');
        else print(`Applied ${formatCount(applied.length, 'migration')}:\n  ${applied.join('\n  ')}`);
        if (role !== undefined) print(workerRoleAdvice(role));
        else if (database === 'postgresql') print('The role of background work is in force.');
      }
      if (missing.length > 0) commandProcess().exitCode = EXIT.failed;
    });
}
