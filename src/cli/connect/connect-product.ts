import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Principal, Product } from '../../access/identity/access.schema.js';
import { Guildbook, GuildbookError } from '../../client/guildbook.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { PROJECT_ROOT } from '../../platform/config/environment.js';
import type { RepositoryState } from '../../skills/publishing/remote.schema.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { type CodexHook, listHooks, trustHooks } from './codex-trust.js';
import { forgetClientState, type HookSettings, readHookSettings, writeHookSettings } from './hook-settings.js';
import { installSkills } from './install-skills.js';
import { withGuildbook } from './opencode-settings.js';
import { keepCopies, parsedSettings, removeEmptyFolders, textOf } from './product-files.js';
import { type Folders, MARKETPLACE, PLUGIN, type ProductFile, pluginFolder, SETUPS } from './products.js';
import { findProgram, lastWords, type RunOptions, runProgram } from './run-program.js';
import type { SkillsOutcome } from './skills-outcome.js';

/** Trust of Codex in the hooks; the other products need none. */
type Trust = 'not needed' | 'trusted' | 'asked for';

export interface Connected {
  readonly product: Product;
  readonly server: string;
  readonly agent: string;
  readonly gate: boolean;
  readonly settings: HookSettings;
  readonly plugin: string;
  readonly files: readonly string[];
  readonly copies: string;
  readonly trust: Trust;
  readonly check: SelfTest;
  readonly skills: SkillsOutcome;
}

interface ConnectOptions {
  readonly gate: boolean;
  /** Whether a person agrees that Codex runs these commands. */
  readonly mayTrust: (commands: readonly string[]) => Promise<boolean>;
}

/** Connects a product on this machine. Every step may be repeated, so that a second run completes one that failed. */
export async function connectProduct(
  connection: ConnectionOptions,
  folders: Folders,
  product: Product,
  { gate, mayTrust }: ConnectOptions,
): Promise<Connected> {
  const { files: filesOf, install, uninstall } = SETUPS[product];
  const program = await requiredProgram(folders, product);
  const files = filesOf(folders);
  await checkFiles(files);
  const planned = join(pluginFolder(folders, product), PLUGIN);
  if (product === 'opencode') await editedSettings(files, planned);
  const { settings, agent, repository } = await settingsFor(connection, folders, product, gate);
  const copies = await keepCopies(folders, product, files);
  await writeHookSettings(folders, product, settings);
  await forgetClientState(folders, product);
  const plugin = await copyPlugin(folders, product, gate);
  const run = programRunner(folders, program);
  // What an earlier version of this package installed goes first. The product says no if there is nothing.
  for (const args of uninstall) await run.quietly(args);
  for (const args of install(dirname(plugin))) await run.orFail(args);
  if (product === 'opencode') await editOpenCode(files, plugin);
  const trust = product === 'codex' ? await askForTrust(program, run.options, mayTrust) : 'not needed';
  const check = await runSelfTest(folders, product, plugin);
  // Last, so that a remote without access leaves the rest connected.
  const skills = await installSkills({ folders, product, program }, settings, repository);
  const about = { product, server: settings.server, agent, gate, settings, plugin, copies };
  return { ...about, files: files.map(({ path }) => path), trust, check, skills };
}

/** The path of the product's program. Throws a `CliError` if it, or a program that the client needs, is missing. */
export async function requiredProgram({ environment }: Folders, product: Product): Promise<string> {
  const { title, program } = SETUPS[product];
  if (process.platform === 'win32')
    throw new CliError(
      EXIT.failed,
      'connect.no_windows',
      'The client is a shell script. On Windows, connect inside WSL.',
    );
  const found = await findProgram(program, environment);
  if (found === undefined)
    throw new CliError(
      EXIT.failed,
      'connect.program_missing',
      `${title} is not installed: there is no program "${program}" on the PATH. Nothing was changed.`,
    );
  if ((await findProgram('curl', environment)) === undefined)
    throw new CliError(
      EXIT.failed,
      'connect.program_missing',
      'There is no program "curl" on the PATH. Nothing was changed.',
    );
  return found;
}

/** Runs the product's own commands in the home folder, where no project's settings apply. */
export function programRunner({ home, environment }: Folders, program: string) {
  const options: RunOptions = { cwd: home, environment };
  return {
    options,
    quietly: (args: readonly string[]) => runProgram(program, args, options),
    async orFail(args: readonly string[]): Promise<void> {
      const ended = await runProgram(program, args, options);
      if (ended.status === 0) return;
      throw new CliError(
        EXIT.failed,
        'connect.product_refused',
        `"${program} ${args.join(' ')}" failed: ${lastWords(ended)}`,
        'Run the same command again after the cause is gone, or take back what was done with --undo.',
      );
    },
  };
}

async function checkFiles(files: readonly ProductFile[]): Promise<void> {
  for (const file of files) {
    const text = await textOf(file.path);
    if (text !== undefined) parsedSettings(file, text);
  }
}

/** A stored token of this person that still works at this server is kept, so that a second run makes no second one. */
async function settingsFor(
  connection: ConnectionOptions,
  folders: Folders,
  product: Product,
  gate: boolean,
): Promise<{ settings: HookSettings; agent: string; repository: RepositoryState }> {
  const client = await connect(connection);
  const { server } = client;
  const here = { server, node: process.execPath, program: join(PROJECT_ROOT, 'dist', 'cli', 'main.js'), gate };
  const rest = { repository: await client.repository() };
  const known = await readHookSettings(folders, product);
  if (known?.server === server) {
    const agent = await agentOf(known);
    const { principal: person } = await client.me();
    if (agent !== undefined && agent.owner === person.name)
      return { ...rest, agent: agent.name, settings: { ...here, token: known.token } };
  }
  const { principal, token } = await client.agents.own({ product });
  if (known !== undefined) await revokeQuietly(known);
  return { ...rest, agent: principal.name, settings: { ...here, token } };
}

/** The agent that holds the token; undefined if the server refuses it. */
export async function agentOf({
  server,
  token,
}: Pick<HookSettings, 'server' | 'token'>): Promise<Principal | undefined> {
  try {
    const { principal } = await new Guildbook({ server, token }).me();
    return principal.kind === 'agent' ? principal : undefined;
  } catch (error) {
    if (error instanceof GuildbookError && [401, 403].includes(error.problem.status)) return undefined;
    throw error;
  }
}

/** Ends the token of a connection that another one replaces. Its server may be gone. */
async function revokeQuietly({ server, token }: HookSettings): Promise<void> {
  try {
    await new Guildbook({ server, token, timeoutMs: 5_000, rateLimitWaitMs: 0 }).ownToken.revoke();
  } catch {
    // The new connection does not depend on it.
  }
}

interface EditedSettings {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The settings of OpenCode before and after; throws a `CliError` if the name is taken. */
async function editedSettings([file]: readonly ProductFile[], plugin: string): Promise<EditedSettings | undefined> {
  if (file === undefined) return undefined;
  const before = (await textOf(file.path)) ?? '{}\n';
  const after = withGuildbook(before, { plugin: join(plugin, 'guildbook.js'), server: join(plugin, 'guildbook-mcp') });
  return { path: file.path, before, after };
}

async function editOpenCode(files: readonly ProductFile[], plugin: string): Promise<void> {
  const edited = await editedSettings(files, plugin);
  if (edited === undefined || edited.after === edited.before) return;
  await mkdir(dirname(edited.path), { recursive: true });
  await writeFile(edited.path, edited.after);
}

async function askForTrust(codex: string, options: RunOptions, mayTrust: ConnectOptions['mayTrust']): Promise<Trust> {
  const hooks = await listHooks(codex, options);
  const isTrusted = (list: readonly CodexHook[]) =>
    list.length > 0 && list.every((hook) => hook.trustStatus === 'trusted');
  if (isTrusted(hooks)) return 'trusted';
  if (!(await mayTrust(hooks.map(({ command }) => command ?? '')))) return 'asked for';
  return isTrusted(await trustHooks(codex, options, hooks)) ? 'trusted' : 'asked for';
}

const SHIPPED = join(PROJECT_ROOT, 'plugins');
const CLIENTS = ['guildbook-hook', 'guildbook-mcp'];
const Hooks = z.looseObject({ hooks: z.record(z.string(), z.unknown()) });

/**
 * Writes the plugin of this package into a folder that only `connect` changes. The hook before a call is left out without
 * `gate`. The bytes depend on nothing else: Codex stops trusting the hooks of a plugin that changes.
 */
async function copyPlugin(folders: Folders, product: Product, gate: boolean): Promise<string> {
  const folder = pluginFolder(folders, product);
  const plugin = join(folder, PLUGIN);
  await clearPlugin(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await cp(join(SHIPPED, product), plugin, { recursive: true });
  for (const client of CLIENTS) {
    await cp(join(SHIPPED, client), join(plugin, client));
    // npm keeps the mode of a file that no `bin` names, other tools may not.
    await chmod(join(plugin, client), 0o755);
  }
  if (product === 'opencode') return plugin;
  const hooks = join(plugin, 'hooks');
  if (gate) await addGate(hooks);
  await rm(join(hooks, 'gate.json'));
  if (product !== 'gemini') await writeMarketplace(folder);
  return plugin;
}

/** Deletes the plugin, but not the skills beside it. */
export async function clearPlugin(folder: string): Promise<void> {
  const inPlugin = join(folder, PLUGIN);
  for (const [parent, kept] of [
    [inPlugin, 'skills'],
    [folder, PLUGIN],
  ] as const)
    for (const name of await readdir(parent).catch(() => []))
      if (name !== kept) await rm(join(parent, name), { recursive: true, force: true });
  await removeEmptyFolders(join(inPlugin, 'skills'), folder);
  await removeEmptyFolders(inPlugin, folder);
}

async function addGate(hooks: string): Promise<void> {
  const [usual, gate] = await Promise.all(
    ['hooks.json', 'gate.json'].map(async (file) => Hooks.parse(JSON.parse(await readFile(join(hooks, file), 'utf8')))),
  );
  const both = { ...usual, hooks: { ...usual?.hooks, ...gate?.hooks } };
  await writeFile(join(hooks, 'hooks.json'), `${JSON.stringify(both, null, 2)}\n`);
}

async function writeMarketplace(folder: string): Promise<void> {
  const description = 'The Guildbook plugin that guildbook connect installed on this machine';
  const manifest = {
    name: MARKETPLACE,
    description,
    owner: { name: 'Guildbook' },
    plugins: [{ name: PLUGIN, description, source: `./${PLUGIN}` }],
  };
  await mkdir(join(folder, '.claude-plugin'));
  await writeFile(join(folder, '.claude-plugin', 'marketplace.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

const Answer = z.union([
  z.object({ hookSpecificOutput: z.object({ additionalContext: z.string() }) }).transform((a) => a.hookSpecificOutput),
  z.object({ additionalContext: z.string() }),
]);

/** What the server answered to the start of a session that the installed client sent. */
export interface SelfTest {
  /** The HTTP status; 0 if no server answered. */
  readonly status: number;
  /** The text that an agent would get at the start of a session; empty if the server has nothing to say yet. */
  readonly text: string;
}

/** Sends the start of a session through the client that the product runs. */
export async function runSelfTest(folders: Folders, product: Product, plugin: string): Promise<SelfTest> {
  const { startEvent } = SETUPS[product];
  const session = 'guildbook-connect-check';
  const event = { session_id: session, sessionId: session, hook_event_name: startEvent, source: 'guildbook connect' };
  const { stdout, stderr } = await runProgram(
    '/bin/sh',
    [join(plugin, 'guildbook-hook'), product, startEvent, 'check'],
    { cwd: folders.home, environment: folders.environment, input: JSON.stringify({ ...event, cwd: folders.home }) },
  );
  const answer = Answer.safeParse(parseJson(stdout));
  return {
    status: Number(/^(\d{3})$/m.exec(stderr)?.[1] ?? 0),
    text: answer.success ? answer.data.additionalContext : '',
  };
}

/** One sentence for a person. */
export function describeSelfTest({ status, text }: SelfTest, server: string): string {
  if (status === 200 && text === '') return `${server} answered: it has no lesson for the start of a session yet.`;
  if (status === 200) return `${server} answered with ${text.length} characters for the agent.`;
  if (status === 401 || status === 403) return `${server} refused the token (status ${status}).`;
  if (status === 404) return `${server} does not know the hooks of this product (status 404): upgrade the server.`;
  return status === 0 ? `${server} did not answer within two seconds.` : `${server} answered with status ${status}.`;
}
