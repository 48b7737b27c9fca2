import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Argument, type Command, Option } from 'commander';
import { PRODUCTS, type Product } from '../../access/identity/access.schema.js';
import { userFolders } from '../../platform/config/environment.js';
import type { ConnectionOptions } from '../server/session.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { commandProcess } from '../terminal/command-process.js';
import { print, printError, printJson, table } from '../terminal/terminal.js';
import { listHooks } from './codex-trust.js';
import {
  agentOf,
  type Connected,
  connectProduct,
  describeSelfTest,
  requiredProgram,
  runSelfTest,
  type SelfTest,
} from './connect-product.js';
import { disconnectProduct } from './disconnect-product.js';
import { readHookSettings, settingsPath } from './hook-settings.js';
import { installedSkills } from './install-skills.js';
import { textOf } from './product-files.js';
import { type Folders, PLUGIN, pluginFolder, SETUPS } from './products.js';
import { findProgram } from './run-program.js';
import { describeSkills, describeSynced, type InstalledSkills, summaryOf } from './skills-outcome.js';
import { refreshSkills } from './synced-skills.js';

interface Options {
  readonly gate?: boolean;
  readonly check?: boolean;
  readonly undo?: boolean;
  readonly list?: boolean;
  readonly skills?: boolean;
  readonly yes?: boolean;
}

const GATE = 'ask before each call, so that a skill may refuse one once; this is the default';
const NO_GATE = 'do not ask before calls';

export function connectCommand(program: Command): void {
  program
    .command('connect')
    .description(
      'connect an agent program of this machine: lessons when it needs them, approved skills, reports of its sessions',
    )
    .addArgument(new Argument('[product]', 'the agent program').choices(PRODUCTS))
    .addOption(new Option('--gate', GATE).conflicts(['check', 'undo', 'list']))
    .addOption(new Option('--no-gate', NO_GATE).conflicts(['check', 'undo', 'list']))
    .addOption(new Option('--yes', 'trust the hooks in Codex without asking').conflicts(['check', 'undo', 'list']))
    .addOption(new Option('--check', 'test the connection through the installed client').conflicts(['undo', 'list']))
    .addOption(new Option('--undo', 'take everything back and revoke the token').conflicts('list'))
    .addOption(
      new Option('--skills', 'take the newest skills from the server, as the start of a session does').conflicts([
        ...['gate', 'yes', 'check', 'undo', 'list'],
      ]),
    )
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
  if (options.skills) return takeSkills(connection, folders, product);
  const { stdin, stdout } = commandProcess();
  const isAskable = connection.json !== true && stdin.isTTY === true && stdout.isTTY === true;
  const mayTrust = async (commands: readonly string[]): Promise<boolean> =>
    options.yes === true || (isAskable && (await askForTrust(commands)));
  const connected = await connectProduct(connection, folders, product, { gate: options.gate !== false, mayTrust });
  const { check: test, skills } = connected;
  const hasSkills = skills.state !== 'failed' && (skills.state !== 'synced' || skills.problems.length === 0);
  if (test.status !== 200 || !hasSkills) commandProcess().exitCode = EXIT.failed;
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
        ...rest.files.map((file) => ['changed file', file] as const),
        ['copies of changed files', rest.copies],
      ],
    ),
  );
  print(
    `Calls are ${gate ? 'checked before they run' : 'not checked before they run (connect without --no-gate does that)'}.`,
  );
  if (trust === 'asked for')
    print(`Codex does not run the hooks yet: start codex, open /hooks and trust those of guildbook.`, 'bold');
  print(`Test: ${describeSelfTest(check, server)}`);
  print(describeSkills(rest.skills, product));
  print(
    `Next: start a new session of ${program}. Lessons arrive at its start, with prompts and after failed commands.`,
  );
  print('When it ends, its report goes to the server. Once a failure came back and was overcome in the same way, a');
  print('proposal waits for a reviewer, a minute after the last report; guildbook status says what happens next.');
  print(`To take everything back: guildbook connect ${product} --undo`);
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
  for (const { title, skills } of items)
    if (skills?.synced !== undefined) print(`${title}: ${describeSynced(skills.synced)}`);
}

async function takeSkills(connection: ConnectionOptions, folders: Folders, product: Product): Promise<void> {
  const synced = await refreshSkills(folders, product);
  if (synced === undefined)
    throw new CliError(
      EXIT.failed,
      'connect.no_skills_from_server',
      `${SETUPS[product].title} has no skills from the server, or another run takes them.`,
      `To install them: guildbook connect ${product}`,
    );
  if (synced.problems.length > 0) commandProcess().exitCode = EXIT.failed;
  if (connection.json) return printJson(summaryOf(synced));
  print(describeSynced(summaryOf(synced)));
}

async function check(connection: ConnectionOptions, folders: Folders, product: Product): Promise<void> {
  const state = await checkProduct(folders, product);
  if (state.problems.length > 0) commandProcess().exitCode = EXIT.failed;
  if (connection.json) return printJson(state);
  print(`Test: ${describeSelfTest(state.check, state.server)}`);
  for (const problem of state.problems) print(problem);
  if (state.skills === null) print(`No skills are installed. To install them: guildbook connect ${product}`);
  else if (state.skills.synced !== undefined) print(describeSynced({ ...state.skills.synced, problems: [] }));
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

interface ListedProduct {
  readonly product: Product;
  readonly title: string;
  /** The path of its program; null if it is not installed. */
  readonly program: string | null;
  /** The server that it is connected to; null if it is not. */
  readonly server: string | null;
  readonly gate: boolean;
  /** The skills that `connect` installed; null if it installed none. */
  readonly skills: InstalledSkills | null;
}

/** All products, with what this machine has of them. */
function listProducts(folders: Folders): Promise<ListedProduct[]> {
  return Promise.all(
    PRODUCTS.map(async (product) => {
      const { title, program } = SETUPS[product];
      const settings = await readHookSettings(folders, product);
      return {
        product,
        title,
        program: (await findProgram(program, folders.environment)) ?? null,
        server: settings?.server ?? null,
        gate: settings?.gate ?? false,
        skills: await installedSkills(folders, product),
      };
    }),
  );
}

interface CheckedProduct {
  readonly product: Product;
  readonly server: string;
  readonly check: SelfTest;
  readonly skills: InstalledSkills | null;
  /** What is not in order and what to do, one sentence each. */
  readonly problems: readonly string[];
}

/** Tests a connection through the installed client. Throws a `CliError` if there is none. */
async function checkProduct(folders: Folders, product: Product): Promise<CheckedProduct> {
  const settings = await readHookSettings(folders, product);
  if (settings === undefined)
    throw new CliError(
      EXIT.notFound,
      'connect.not_connected',
      `${SETUPS[product].title} is not connected on this machine.`,
      `Connect it with: guildbook connect ${product}`,
    );
  const program = await requiredProgram(folders, product);
  const plugin = join(pluginFolder(folders, product), PLUGIN);
  const again = `Run again: guildbook connect ${product}`;
  const problems: string[] = [];
  if ((await textOf(join(plugin, 'guildbook-hook'))) === undefined) problems.push(`The plugin is missing. ${again}`);
  if ((await textOf(settings.program)) === undefined)
    problems.push(`Sessions are not reported: ${settings.program} is missing. ${again}`);
  const check = await runSelfTest(folders, product, plugin);
  if (check.status !== 0 && (await agentOf(settings)) === undefined)
    problems.push(`The token is not accepted. ${again}`);
  else if (check.status !== 200)
    problems.push('Lessons do not arrive until the server answers. To check: guildbook status');
  if (product === 'codex') {
    const hooks = await listHooks(program, { cwd: folders.home, environment: folders.environment });
    if (hooks.length === 0) problems.push(`Codex does not list the hooks. ${again}`);
    else if (hooks.some(({ trustStatus }) => trustStatus !== 'trusted'))
      problems.push('Codex does not run the hooks yet: start codex, open /hooks and trust those of guildbook.');
  }
  const skills = await installedSkills(folders, product);
  problems.push(...(skills?.synced?.problems ?? []));
  if (skills?.isThere === false) problems.push(`The skills from ${skills.from} are no longer installed. ${again}`);
  return { product, server: settings.server, check, skills, problems };
}
