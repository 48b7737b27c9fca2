import type { Command } from 'commander';
import { type ConnectionOptions, connect } from '../server/session.js';

export function mcpCommand(program: Command): void {
  program
    .command('mcp')
    .description("the Model Context Protocol over stdio, for clients without HTTP: set GUILDBOOK_TOKEN to the agent's")
    .action(async () => {
      // Loaded here: the library of the protocol takes a third of a second that no other command should wait.
      const { bridge } = await import('../server/mcp-bridge.js');
      await bridge(await connect(program.opts<ConnectionOptions>()), process.stdin, process.stdout);
    });
}
