import type { Command } from 'commander';
import type { OutputOptions } from '../terminal/terminal.js';
import { type MachineOptions, settingsOption } from './machine-command.js';

export function serveCommand(program: Command): void {
  program
    .command('serve')
    .description('start the server')
    .addOption(settingsOption())
    .option('--no-migrate', 'refuse to start while a migration is missing, instead of applying it')
    .action(async ({ settings, migrate }: MachineOptions & { readonly migrate: boolean }, command: Command) => {
      // Loaded on demand: the modules of the server take a second to load.
      const { serve } = await import('../../serve.js');
      const { json } = command.optsWithGlobals<OutputOptions>();
      await serve(settings, { migrate, json: json === true });
    });
}
