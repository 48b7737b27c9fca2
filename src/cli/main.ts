#!/usr/bin/env node
import { Command } from 'commander';
import { VERSION } from '../platform/config/version.js';
import { agentCommands } from './commands/agents.js';
import { evolveCommand } from './commands/evolve.js';
import { importCommand } from './commands/import.js';
import { journalCommands } from './commands/journal.js';
import { lessonsCommand } from './commands/lessons.js';
import { mcpCommand } from './commands/mcp.js';
import { memoryCommands } from './commands/memory.js';
import { peopleCommands } from './commands/people.js';
import { proposalCommands } from './commands/proposals.js';
import { proposerCommands } from './commands/proposer.js';
import { recallCommand, rememberCommand } from './commands/recall.js';
import { serveCommand } from './commands/serve.js';
import { serviceCommands } from './commands/services.js';
import { signInCommands } from './commands/sign-in.js';
import { skillCommands } from './commands/skills.js';
import { statusCommand } from './commands/status.js';
import { webhookCommands } from './commands/webhooks.js';
import { demoCommand } from './demo/demo-command.js';
import { fail } from './terminal/failure.js';
import { endQuietlyWithReader } from './terminal/terminal.js';

const program = new Command('guildbook')
  .description('Turns finished agent executions into skills that people approve.')
  .version(VERSION)
  .option('--server <url>', 'server address (default: the server you signed in to, or http://127.0.0.1:4747)')
  .option('--json', 'print the result as JSON')
  .showHelpAfterError('(for help: guildbook <command> --help)')
  .configureHelp({ showGlobalOptions: true });

for (const add of [
  serveCommand,
  demoCommand,
  signInCommands,
  importCommand,
  statusCommand,
  lessonsCommand,
  memoryCommands,
  proposerCommands,
  recallCommand,
  rememberCommand,
  mcpCommand,
  evolveCommand,
  proposalCommands,
  skillCommands,
  journalCommands,
  agentCommands,
  serviceCommands,
  peopleCommands,
  webhookCommands,
])
  add(program);

endQuietlyWithReader();
program.parseAsync().catch(fail);
