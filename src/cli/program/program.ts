import { Command } from 'commander';
import { SystemClock } from '../../platform/base/clock.js';
import { nearName } from '../../platform/config/nearest-name.js';
import { VERSION } from '../../platform/config/version.js';
import { agentCommands, peopleCommands, serviceCommands } from '../access/principals.js';
import { retentionCommand } from '../access/retention.js';
import { signInCommands } from '../access/sign-in.js';
import { consolidateCommand } from '../commands/consolidate.js';
import { embedderCommand } from '../commands/embedder.js';
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
import { backupCommand, restoreCommand } from '../machine/backup.js';
import { demoCommand } from '../machine/demo-command.js';
import { migrateCommand } from '../machine/migrate.js';
import { moveCommand } from '../machine/move.js';
import { serveCommand } from '../machine/serve.js';
import type { ConnectionOptions } from '../server/session.js';
import { addressOf, type SignIns, signInAt, signInFile, withoutServer } from '../server/sign-in-file.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { type CommandProcess, runIn } from '../terminal/command-process.js';
import { fail } from '../terminal/failure.js';
import { endQuietlyWithReader, print, printJson, table } from '../terminal/terminal.js';
import { everyCommand, pathOf, visibleCommands } from './command-tree.js';
import { completionCommands } from './completion.js';
import { isAnswered, nearest, throwUsageErrors } from './usage-errors.js';

const minuteOf = (time: string): string => time.slice(0, 16).replace('T', ' ');

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

/** Examples in the help, by the words of the command. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  login: ['guildbook login --server https://guildbook.example.org --token -', 'guildbook login --browser'],
  connect: ['guildbook connect claude-code', 'guildbook connect codex --no-gate', 'guildbook connect codex --undo'],
  pause: ['guildbook pause --for 8', 'guildbook pause --project shop'],
  import: ['guildbook import ~/.claude/projects', 'guildbook import --dry-run --agent build-bot traces/'],
  'proposals approve': ['guildbook proposals approve 3f2a1b9c --sha256 0123456789ab'],
  'proposals list': ['guildbook proposals --mine --risk high', 'guildbook --json proposals list --state approved'],
  'agents add': ['guildbook agents add build-bot --owner "platform team" --expires-in-days 90'],
  'people add': ['guildbook people add Rosa --email rosa@example.org --reviewer'],
  'embedder train': ['guildbook embedder train', 'guildbook embedder train --source labelled'],
  'embedder rollback': ["guildbook embedder rollback configured --confirm --reason 'Answers became worse.'"],
  serve: ['guildbook serve', 'guildbook serve --settings /etc/guildbook/server.env'],
  'journal verify': [
    'guildbook journal verify --head 120:4f0c…',
    'guildbook journal verify --file journal.jsonl --key …',
  ],
  sessions: ['guildbook sessions --folder .guildbook', 'guildbook --json sessions search compaction --kind decision'],
  'sessions show': ['guildbook sessions show 2026-05-15-08h00'],
  completion: ['source <(guildbook completion bash)'],
};

/** Adds the examples to the help of their commands. */
function addExamples(program: Command): void {
  for (const command of everyCommand(program)) {
    const lines = EXAMPLES[pathOf(command).replace(/^guildbook /, '')];
    if (lines) command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  }
}

/** `guildbook help [command...]` at any depth; the library's own knows one level and ignores an unknown word. */
function helpCommand(program: Command): void {
  for (const command of [program, ...everyCommand(program)]) command.helpCommand(false);
  program
    .command('help [command...]')
    .description('show the help of a command, such as "help proposals approve"')
    .action((words: string[]) => commandOf(program, words).outputHelp());
}

function commandOf(program: Command, words: readonly string[]): Command {
  let found = program;
  for (const word of words) {
    const next = found.commands.find((one) => one.name() === word);
    if (next === undefined) throw unknownWord(found, word);
    found = next;
  }
  return found;
}

function unknownWord(group: Command, word: string): CliError {
  const names = visibleCommands(group).map((one) => one.name());
  const near = nearest(word, names).map((name) => `${pathOf(group)} ${name} --help`);
  return new CliError(
    EXIT.usage,
    'usage.unknown_command',
    `Unknown command "${pathOf(group)} ${word}".`,
    near.length > 0 ? `Did you mean: ${near.join(', or: ')}` : undefined,
  );
}

function serverCommands(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  const servers = program.command('servers').description('list the servers that you are signed in to, and choose one');
  servers
    .command('list', { isDefault: true })
    .description('list servers; * marks the current one')
    .action(() => list(connection()));
  servers
    .command('use <server>')
    .description('make a server, by address or short name, the current one')
    .action((server: string) => use(connection(), server));
  servers
    .command('forget <server>')
    .description('remove a sign-in from this machine; the server is not asked, so other devices stay signed in')
    .action((server: string) => forget(connection(), server));
}

async function list({ json }: ConnectionOptions): Promise<void> {
  const { current, servers } = await signInFile().read();
  const now = new SystemClock().now();
  const items = servers.map(({ server, name, person, expiresAt, signInExpiresAt }) => ({
    server,
    name: name ?? null,
    current: server === current,
    person,
    expiresAt,
    expired: Date.parse(expiresAt) <= now.getTime(),
    signInExpiresAt: signInExpiresAt ?? null,
  }));
  if (json) return printJson(items);
  if (items.length === 0)
    return print('You are not signed in. Sign in with: guildbook login --server <url> --token <token>');
  print(
    table(
      ['', 'server', 'name', 'signed in as', 'token until', 'renewable until'],
      items.map((one) => [
        ...[one.current ? '*' : '', one.server, one.name ?? '', one.person],
        one.expired ? 'expired' : minuteOf(one.expiresAt),
        minuteOf(one.signInExpiresAt ?? ''),
      ]),
    ),
  );
  if (current === null) print('\nNo server is current. Choose one with: guildbook servers use <server>');
  if (items.some(({ expired }) => expired)) print('\nTo renew a token: guildbook login --server <server>');
}

async function use({ json }: ConnectionOptions, given: string): Promise<void> {
  const { current } = await signInFile().change((signIns) => ({ ...signIns, current: knownServer(signIns, given) }));
  if (json) return printJson({ current });
  print(`Commands now talk to ${current}.`);
}

async function forget({ json }: ConnectionOptions, given: string): Promise<void> {
  const file = signInFile();
  const server = knownServer(await file.read(), given);
  await file.change((signIns) => withoutServer(signIns, server));
  if (json) return printJson({ forgotten: server });
  print(`Forgot the sign-in at ${server}.`);
}

function knownServer(signIns: SignIns, given: string): string {
  const names = signIns.servers.flatMap(({ name, server }) => (name === undefined ? [server] : [name, server]));
  const address = addressIfAny(signIns, given);
  if (address !== undefined && signInAt(signIns, address)) return address;
  const near = nearName(given, names);
  throw new CliError(
    EXIT.notFound,
    'name.unknown',
    `You are not signed in to a server "${given}".${near === undefined ? '' : ` Did you mean ${near}?`} To list them: guildbook servers`,
  );
}

function addressIfAny(signIns: SignIns, given: string): string | undefined {
  try {
    return addressOf(signIns, given);
  } catch {
    return undefined;
  }
}
