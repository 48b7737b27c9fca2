import type { Command } from 'commander';
import { type ConnectionOptions, connect } from '../server/session.js';
import { commandProcess } from '../terminal/command-process.js';

export function mcpCommand(program: Command): void {
  program
    .command('mcp')
    .description(
      'serve the Model Context Protocol over stdio, for clients without HTTP (set GUILDBOOK_TOKEN to the token of the agent)',
    )
    .action(async () => {
      // Loaded on demand: the protocol library takes a third of a second to load, and only this command needs it.
      const { bridge } = await import('../server/mcp-bridge.js');
      const { stdin, stdout } = commandProcess();
      await bridge(await connect(program.opts<ConnectionOptions>()), stdin, stdout);
    });
}
