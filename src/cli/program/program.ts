import { Command } from 'commander';
import { VERSION } from '../../platform/config/version.js';
import { agentCommands } from '../access/agents.js';
import { peopleCommands } from '../access/people.js';
import { retentionCommand } from '../access/retention.js';
import { serverCommands } from '../access/servers.js';
import { serviceCommands } from '../access/services.js';
import { signInCommands } from '../access/sign-in.js';
import { evolveCommand } from '../commands/evolve.js';
import { importCommand } from '../commands/import.js';
import { journalCommands } from '../commands/journal.js';
import { lessonsCommand } from '../commands/lessons.js';
import { mcpCommand } from '../commands/mcp.js';
import { memoryCommands } from '../commands/memory.js';
import { pauseCommands } from '../commands/pause.js';
import { proposalCommands } from '../commands/proposals.js';
import { proposerCommands } from '../commands/proposer.js';
import { recallCommand, rememberCommand } from '../commands/recall.js';
import { sessionCommands } from '../commands/sessions.js';
import { skillCommands } from '../commands/skills.js';
import { statusCommand } from '../commands/status.js';
import { webhookCommands } from '../commands/webhooks.js';
import { connectCommand } from '../connect/connect-command.js';
import { consolidateCommand } from '../consolidate/consolidate.js';
import { demoCommand } from '../demo/demo-command.js';
import { embedderCommand } from '../embedder/embedder.js';
import { backupCommand } from '../machine/backup.js';
import { migrateCommand } from '../machine/migrate.js';
import { moveCommand } from '../machine/move.js';
import { restoreCommand } from '../machine/restore.js';
import { serveCommand } from '../machine/serve.js';
import { type CommandProcess, runIn } from '../terminal/command-process.js';
import { fail } from '../terminal/failure.js';
import { endQuietlyWithReader } from '../terminal/terminal.js';
import { completionCommands } from './completion.js';
import { addExamples } from './examples.js';
import { helpCommand } from './help-command.js';
import { isAnswered, throwUsageErrors } from './usage-errors.js';

type AddCommands = (program: Command) => void;

/** The commands as the help lists them, by what a person wants to do. */
const GROUPS: readonly (readonly [heading: string, commands: readonly AddCommands[]])[] = [
  ['Start:', [demoCommand, signInCommands, serverCommands, connectCommand, statusCommand, pauseCommands]],
  ['Learn:', [importCommand, lessonsCommand, evolveCommand, proposerCommands]],
  ['Decide:', [proposalCommands, skillCommands, journalCommands]],
  [
    'Remember:',
    [recallCommand, rememberCommand, memoryCommands, consolidateCommand, embedderCommand, sessionCommands, mcpCommand],
  ],
  ['Access:', [peopleCommands, agentCommands, serviceCommands, webhookCommands, retentionCommand]],
  ["On the server's machine:", [serveCommand, migrateCommand, backupCommand, restoreCommand, moveCommand]],
];

/** The whole command line, ready to parse. */
export function createProgram(): Command {
  const program = new Command('guildbook')
    .description('Turns finished agent executions into skills that people approve.')
    .version(VERSION)
    .option('--server <server>', 'address or short name of the server (default: the current one, see "servers")')
    .option('--json', 'print the result, or the error, as JSON')
    .option('--quiet', 'print no progress')
    .configureHelp({ showGlobalOptions: true });
  for (const [heading, commands] of GROUPS) {
    program.commandsGroup(heading);
    for (const add of commands) add(program);
  }
  program.commandsGroup('This program:');
  completionCommands(program);
  helpCommand(program);
  addExamples(program);
  throwUsageErrors(program);
  return program;
}

/**
 * Runs one command line, without the names of the program, in a process such as Node's. Ends the process with the status
 * of a failure.
 */
export function runCommandLine(words: readonly string[], given: CommandProcess): Promise<void> {
  endQuietlyWithReader(given);
  return runIn(given, () => run(words));
}

async function run(words: readonly string[]): Promise<void> {
  const program = createProgram();
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (isAnswered(error)) return;
    // An error in the command line may come before the option is read.
    const isJson = program.opts<{ json?: boolean }>().json ?? words.includes('--json');
    fail(error, isJson);
  }
}
