import type { Command } from 'commander';

export function serveCommand(program: Command): void {
  program
    .command('serve')
    .description('start the server (configured by environment variables, see .env.example)')
    .action(async () => {
      await import('../../main.js');
    });
}
