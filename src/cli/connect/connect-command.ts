import { createInterface } from 'node:readline/promises';
import { Argument, type Command, Option } from 'commander';
import { PRODUCTS, type Product } from '../../access/identity/access.schema.js';
import { userFolders } from '../../platform/config/environment.js';
import type { ConnectionOptions } from '../server/session.js';
import { CliError } from '../terminal/cli-error.js';
import { commandProcess } from '../terminal/command-process.js';
import { EXIT } from '../terminal/exit-codes.js';
import { print, printError, printJson, table } from '../terminal/terminal.js';
import { type Connected, connectProduct } from './connect-product.js';
import { checkProduct, listProducts } from './connection-state.js';
import { disconnectProduct } from './disconnect-product.js';
import { settingsPath } from './hook-settings.js';
import { type Folders, SETUPS } from './products.js';
import { describeSelfTest } from './self-test.js';
import { describeSkills } from './skills-outcome.js';

interface Options {
  readonly gate?: boolean;
  readonly check?: boolean;
  readonly undo?: boolean;
  readonly list?: boolean;
  readonly yes?: boolean;
}

const GATE = 'also ask before each call, so that a skill may refuse one once';

export function connectCommand(program: Command): void {
  program
    .command('connect')
    .description(
      'connect an agent program of this machine: lessons when it needs them, approved skills, reports of its sessions',
    )
    .addArgument(new Argument('[product]', 'the agent program').choices(PRODUCTS))
    .addOption(new Option('--gate', GATE).conflicts(['check', 'undo', 'list']))
    .addOption(new Option('--yes', 'trust the hooks in Codex without asking').conflicts(['check', 'undo', 'list']))
    .addOption(new Option('--check', 'test the connection through the installed client').conflicts(['undo', 'list']))
    .addOption(new Option('--undo', 'take everything back and revoke the token').conflicts('list'))
    .option('--list', 'list the agent programs of this machine and their connections')
    .action((product: Product | undefined, options: Options) =>
      run(program.opts<ConnectionOptions>(), product, options),
    );
}

async function run(connection: ConnectionOptions, product: Product | undefined, options: Options): Promise<void> {
  const folders = userFolders(commandProcess().env);
  if (options.list) return list(connection, folders);
  if (product === undefined)
    throw new CliError(
      EXIT.usage,
      'usage.missing_argument',
      `Name the agent program: ${PRODUCTS.join(', ')}.`,
      'To see what is installed here: guildbook connect --list',
    );
  if (options.undo) return undo(connection, folders, product);
  if (options.check) return check(connection, folders, product);
  const { stdin, stdout } = commandProcess();
  const isAskable = connection.json !== true && stdin.isTTY === true && stdout.isTTY === true;
  const mayTrust = async (commands: readonly string[]): Promise<boolean> =>
    options.yes === true || (isAskable && (await askForTrust(commands)));
  const connected = await connectProduct(connection, folders, product, { gate: options.gate === true, mayTrust });
  if (connected.check.status !== 200 || connected.skills.state === 'failed') commandProcess().exitCode = EXIT.failed;
  if (connection.json) {
    const { settings: _token, ...rest } = connected;
    return printJson({ ...rest, settings: settingsPath(folders, product) });
  }
  printConnected(folders, connected);
}

async function askForTrust(commands: readonly string[]): Promise<boolean> {
  print('Codex runs a hook only after you trust it. These commands would run at the events of a session:');
  for (const command of commands) print(`  ${command}`);
  const terminal = createInterface({ input: commandProcess().stdin, output: commandProcess().stdout });
  try {
    return /^y(?:es)?$/i.test((await terminal.question('Trust them? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}

function printConnected(folders: Folders, { product, server, agent, gate, trust, check, ...rest }: Connected): void {
  const { title, program } = SETUPS[product];
  print(`Connected ${title} to ${server} as ${agent}.`);
  print(
    table(
      ['what', 'where'],
      [
        ['settings with the token', settingsPath(folders, product)],
        ['hooks and memory tools', rest.plugin],
        ...rest.files.map((file) => ['changed by this', file] as const),
        ['copies from before', rest.copies],
      ],
    ),
  );
  print(`Calls are ${gate ? 'checked before they run' : 'not checked before they run (--gate does that)'}.`);
  if (trust === 'asked for')
    print(`Codex does not run the hooks yet: start codex, open /hooks and trust those of guildbook.`, 'bold');
  print(`Test: ${describeSelfTest(check, server)}`);
  print(describeSkills(rest.skills, product));
  print(`Next: start a new session of ${program}. To take everything back: guildbook connect ${product} --undo`);
}

async function list(connection: ConnectionOptions, folders: Folders): Promise<void> {
  const items = await listProducts(folders);
  if (connection.json) return printJson(items);
  print(
    table(
      ['product', 'program', 'connected to', 'gate', 'skills'],
      items.map(({ product, program, server, gate, skills }) => [
        product,
        program ?? 'not installed',
        server ?? 'not connected',
        server === null ? '' : gate ? 'on' : 'off',
        skills === null ? '' : skills.isThere ? skills.from : 'removed since',
      ]),
    ),
  );
}

async function check(connection: ConnectionOptions, folders: Folders, product: Product): Promise<void> {
  const state = await checkProduct(folders, product);
  if (state.problems.length > 0) commandProcess().exitCode = EXIT.failed;
  if (connection.json) return printJson(state);
  print(`Test: ${describeSelfTest(state.check, state.server)}`);
  for (const problem of state.problems) print(problem);
  if (state.skills === null) print(`No skills are installed. To install them: guildbook connect ${product}`);
  else if (state.skills.isThere) print(`Skills are installed from ${state.skills.from}.`);
  if (state.problems.length === 0) print(`${SETUPS[product].title} is connected to ${state.server}.`);
}

async function undo(connection: ConnectionOptions, folders: Folders, product: Product): Promise<void> {
  const undone = await disconnectProduct(folders, product);
  if (!undone.revoked) commandProcess().exitCode = EXIT.failed;
  if (connection.json) return printJson(undone);
  const { title } = SETUPS[product];
  print(undone.wasConnected ? `Disconnected ${title}.` : `${title} was not connected. Nothing of Guildbook is left.`);
  if (undone.wasConnected && undone.revoked)
    print('The token is revoked, and the settings and the plugin are deleted.');
  for (const sentence of undone.left) printError(sentence);
}
