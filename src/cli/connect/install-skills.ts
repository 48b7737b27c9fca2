import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Product } from '../../access/identity/access.schema.js';
import { messageOf } from '../../platform/base/error-text.js';
import { gitRemote } from '../../platform/config/git-remote.js';
import type { RepositoryState } from '../../skills/publishing/remote.schema.js';
import { CliError } from '../terminal/cli-error.js';
import { namesIndex, withIndex, withoutIndex } from './opencode-settings.js';
import {
  isFolderOfSkill,
  readSkillsRecord,
  removeEmptyFolders,
  removeSkillsRecord,
  type SkillsRecord,
  textOf,
  valueAt,
  writeSkillsRecord,
} from './product-files.js';
import { type Entry, type Folders, folderOf, SETUPS } from './products.js';
import { failureOf } from './run-program.js';
import type { InstalledSkills, SkillsOutcome, SkillsTarget } from './skills-outcome.js';

/**
 * Installs the published skills from where the server says they can be had, or takes the newest of them. What an earlier
 * run installed from elsewhere goes first.
 */
export async function installSkills(
  target: SkillsTarget,
  server: string,
  { head, remote }: Pick<RepositoryState, 'head' | 'remote'>,
): Promise<SkillsOutcome> {
  const { folders, product } = target;
  // A server of an earlier version does not say an address.
  const said = remote?.address ?? undefined;
  const from = product === 'opencode' ? indexOf(server) : said && addressFor(product, said);
  const earlier = await readSkillsRecord(folders, product);
  if (earlier !== undefined && earlier.from !== from) await removeSkills(target);
  const record = earlier?.from === from ? earlier : undefined;
  if (from === undefined)
    return { state: 'not installed', reason: said === undefined ? 'no remote' : 'address not taken' };
  if (product === 'opencode') {
    const outcome = await installIndex(folders, from, record);
    // The server has closed the index since.
    if (outcome.state === 'not installed') await removeSkills(target);
    return outcome;
  }
  if (head === null) return { state: 'not installed', reason: 'nothing published' };
  return product === 'gemini'
    ? installCopies(target, from, record)
    : installPlugin(target, MARKETPLACES[product], from, record);
}

/** Takes back what `installSkills` installed, and nothing else. May be repeated. */
export async function removeSkills(target: SkillsTarget): Promise<void> {
  const { folders, product, program } = target;
  const record = await readSkillsRecord(folders, product);
  if (record === undefined) return;
  if (product === 'opencode') await removeIndex(folders, record.from);
  else if (product === 'gemini') await removeCopies(folders, record.names);
  else {
    const { uninstall, remains } = MARKETPLACES[product];
    if (program !== undefined) for (const args of uninstall) await failureOf(program, args, folders);
    for (const folder of remains(folders)) await rm(folder, { recursive: true, force: true });
  }
  await removeSkillsRecord(folders, product);
}

async function installPlugin(
  target: SkillsTarget,
  setup: MarketplaceSetup,
  from: string,
  record: SkillsRecord | undefined,
): Promise<SkillsOutcome> {
  const { folders, product, program = '' } = target;
  const hasMarketplace = (await valueAt(setup.marketplace(folders))) !== undefined;
  if (record === undefined && hasMarketplace) return { state: 'kept', from };
  const isUpdate = hasMarketplace && (await valueAt(setup.plugin(folders))) !== undefined;
  if (!isUpdate) await removeSkills(target);
  await writeSkillsRecord(folders, product, { from, names: [] });
  for (const args of isUpdate ? setup.update : setup.install(from)) {
    const said = await failureOf(program, args, folders);
    if (said === undefined) continue;
    // What an earlier run installed stays; half an installation does not.
    if (!isUpdate) await removeSkills(target);
    return { state: 'failed', from, command: [SETUPS[product].program, ...args].join(' '), said };
  }
  return { state: 'installed', from, ownKept: [] };
}

/** What `connect` installed of the skills; null if it installed none. */
export async function installedSkills(folders: Folders, product: Product): Promise<InstalledSkills | null> {
  const record = await readSkillsRecord(folders, product);
  return record === undefined ? null : { from: record.from, isThere: await isThere(folders, product, record) };
}

async function isThere(folders: Folders, product: Product, { from, names }: SkillsRecord): Promise<boolean> {
  if (product === 'opencode') return hasIndex(folders, from);
  if (product === 'gemini') return hasCopies(folders, names);
  return (await valueAt(MARKETPLACES[product].plugin(folders))) !== undefined;
}

/**
 * Lets Gemini CLI copy the skills from a clone. It could clone by itself, but then leaves out the person's git settings
 * and credentials, so that it has no access to a private remote over https:. A skill of the person is not overwritten.
 */
async function installCopies(
  { folders, program = '' }: SkillsTarget,
  from: string,
  record: SkillsRecord | undefined,
): Promise<SkillsOutcome> {
  const clone = await mkdtemp(join(tmpdir(), 'guildbook-skills-'));
  try {
    const failed = (command: string, said: string): SkillsOutcome => ({ state: 'failed', from, command, said });
    const said = await failureOf('git', ['clone', '--quiet', '--depth', '1', '--', from, clone], folders);
    if (said !== undefined) return failed(`git clone ${from}`, said);
    const earlier = record?.names ?? [];
    const published = await skillsIn(clone);
    const present = new Set(await skillsIn(geminiSkills(folders)));
    const ownKept = published.filter((name) => present.has(name) && !earlier.includes(name));
    const names = published.filter((name) => !ownKept.includes(name));
    if (published.length === 0) return { state: 'not installed', reason: 'nothing published' };
    if (names.length === 0 && record === undefined) return { state: 'kept', from };
    for (const name of ownKept) await rm(join(clone, name), { recursive: true });
    await writeSkillsRecord(folders, 'gemini', { from, names: [...new Set([...earlier, ...names])] });
    const args = ['skills', 'install', clone, '--consent'];
    const refused = names.length === 0 ? undefined : await failureOf(program, args, folders);
    if (refused !== undefined) {
      if (record === undefined) await removeCopies(folders, names);
      if (record === undefined) await removeSkillsRecord(folders, 'gemini');
      return failed([SETUPS.gemini.program, ...args].join(' '), refused);
    }
    await removeCopies(
      folders,
      earlier.filter((name) => !names.includes(name)),
    );
    await writeSkillsRecord(folders, 'gemini', { from, names });
    return { state: 'installed', from, ownKept };
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
}

const hasCopies = (folders: Folders, names: readonly string[]): boolean =>
  names.every((name) => existsSync(join(geminiSkills(folders), name)));

/** Its own command would be started once for each skill, which takes seconds. */
async function removeCopies(folders: Folders, names: readonly string[]): Promise<void> {
  const folder = geminiSkills(folders);
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
  await removeEmptyFolders(folder, folder);
}

/** The skills at the root of a folder. Links are none: they could lead anywhere. */
async function skillsIn(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && isFolderOfSkill(entry.name))
    .map(({ name }) => name)
    .filter((name) => existsSync(join(folder, name, 'SKILL.md')))
    .sort();
}

const LIMIT_MS = 10_000;

const settingsOf = (folders: Folders): string => SETUPS.opencode.files(folders)[0]?.path ?? '';

/** Names the server's index in the settings of OpenCode, which has no command for it and fetches the skills by itself. */
async function installIndex(folders: Folders, from: string, record: SkillsRecord | undefined): Promise<SkillsOutcome> {
  const path = settingsOf(folders);
  const before = (await textOf(path)) ?? '{}\n';
  if (record === undefined && namesIndex(before, from)) return { state: 'kept', from };
  const index = `${from}index.json`;
  try {
    // As OpenCode asks: without a credential.
    const { status } = await fetch(index, { signal: AbortSignal.timeout(LIMIT_MS) });
    if (status === 404) return { state: 'not installed', reason: 'not public' };
    if (status !== 200) return { state: 'failed', from, command: `GET ${index}`, said: `status ${status}` };
  } catch (error) {
    return { state: 'failed', from, command: `GET ${index}`, said: messageOf(error) };
  }
  try {
    const after = withIndex(before, from);
    await writeSkillsRecord(folders, 'opencode', { from, names: [] });
    if (after !== before) await writeFile(path, after);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { state: 'failed', from, command: `edit ${path}`, said: error.message };
  }
  return { state: 'installed', from, ownKept: [] };
}

const hasIndex = async (folders: Folders, from: string): Promise<boolean> =>
  namesIndex((await textOf(settingsOf(folders))) ?? '{}', from);

async function removeIndex(folders: Folders, from: string): Promise<void> {
  const path = settingsOf(folders);
  const before = await textOf(path);
  const after = before === undefined ? undefined : withoutIndex(before, from);
  if (after !== undefined && after !== before) await writeFile(path, after);
}

/** The names in the published repository's manifest. */
const MARKETPLACE = 'guildbook';
const SKILLS_PLUGIN = `guildbook-skills@${MARKETPLACE}`;
/** No character that a shell, or the syntax of a product's own argument, gives a meaning. */
const PLAIN_ADDRESS = /^[\w.~:/@%+-]+$/;

type Commands = readonly (readonly string[])[];

/** A product that takes skills as a plugin, from a marketplace that is the published repository. */
interface MarketplaceSetup {
  readonly install: (address: string) => Commands;
  readonly update: Commands;
  readonly uninstall: Commands;
  /** Where the product writes that it has the marketplace, and the plugin. */
  readonly marketplace: (folders: Folders) => Entry;
  readonly plugin: (folders: Folders) => Entry;
  /** Folders that it leaves when both are removed. */
  readonly remains: (folders: Folders) => readonly string[];
}

const commandsOf = (add: string, remove: string): Pick<MarketplaceSetup, 'install' | 'uninstall'> => ({
  install: (address) => [
    ['plugin', 'marketplace', 'add', address],
    ['plugin', add, SKILLS_PLUGIN],
  ],
  uninstall: [
    ['plugin', remove, SKILLS_PLUGIN],
    ['plugin', 'marketplace', 'remove', MARKETPLACE],
  ],
});

const claudePlugins = (folders: Folders): string => join(folderOf(folders, 'CLAUDE_CONFIG_DIR', '.claude'), 'plugins');
const codexFolder = (folders: Folders): string => folderOf(folders, 'CODEX_HOME', '.codex');
const copilotFolder = (folders: Folders): string => folderOf(folders, 'COPILOT_HOME', '.copilot');

const MARKETPLACES: Readonly<Record<'claude-code' | 'codex' | 'copilot', MarketplaceSetup>> = {
  'claude-code': {
    ...commandsOf('install', 'uninstall'),
    update: [
      ['plugin', 'marketplace', 'update', MARKETPLACE],
      ['plugin', 'update', SKILLS_PLUGIN],
    ],
    marketplace: (folders) => ({
      file: { path: join(claudePlugins(folders), 'known_marketplaces.json'), format: 'json' },
      key: [MARKETPLACE],
    }),
    plugin: (folders) => ({
      file: { path: join(claudePlugins(folders), 'installed_plugins.json'), format: 'json' },
      key: ['plugins', SKILLS_PLUGIN],
    }),
    remains: (folders) => [join(claudePlugins(folders), 'cache', MARKETPLACE)],
  },
  codex: {
    ...commandsOf('add', 'remove'),
    update: [
      ['plugin', 'marketplace', 'upgrade', MARKETPLACE],
      ['plugin', 'add', SKILLS_PLUGIN],
    ],
    marketplace: (folders) => ({
      file: { path: join(codexFolder(folders), 'config.toml'), format: 'toml' },
      key: ['marketplaces', MARKETPLACE],
    }),
    plugin: (folders) => ({
      file: { path: join(codexFolder(folders), 'config.toml'), format: 'toml' },
      key: ['plugins', SKILLS_PLUGIN],
    }),
    remains: (folders) => [join(codexFolder(folders), 'plugins', 'cache', MARKETPLACE)],
  },
  copilot: {
    ...commandsOf('install', 'uninstall'),
    update: [['plugin', 'update', SKILLS_PLUGIN]],
    marketplace: (folders) => ({
      file: { path: join(copilotFolder(folders), 'settings.json'), format: 'json' },
      key: ['extraKnownMarketplaces', MARKETPLACE],
    }),
    plugin: (folders) => ({
      file: { path: join(copilotFolder(folders), 'settings.json'), format: 'json' },
      key: ['enabledPlugins', SKILLS_PLUGIN],
    }),
    remains: (folders) => [
      join(copilotFolder(folders), 'plugin-data', MARKETPLACE),
      join(copilotFolder(folders), 'installed-plugins', MARKETPLACE),
    ],
  },
};

/** The folder into which Gemini CLI copies the skills of a user. */
const geminiSkills = (folders: Folders): string => join(folderOf(folders, 'GEMINI_CLI_HOME', '.'), '.gemini', 'skills');

/** The index from which OpenCode takes skills by itself, without a credential. */
const indexOf = (server: string): string => `${server.replace(/\/+$/, '')}/.well-known/agent-skills/`;

/**
 * The address of the remote in the form that the product takes; undefined if it takes none. What the server said is
 * untrusted: only https: and ssh: addresses without a credential and without a special character pass, so that none can
 * be an option, a folder, or something for a shell.
 */
export function addressFor(product: Product, said: string): string | undefined {
  const remote = gitRemote(said);
  if ('problem' in remote || remote.protocol === 'file' || !PLAIN_ADDRESS.test(said)) return undefined;
  const { protocol, username, hostname, port, pathname } = new URL(said);
  const path = pathname.replace(/\/+$/, '');
  if (path === '' || (protocol === 'https:' && username !== '')) return undefined;
  if (product !== 'claude-code') return said;
  // It takes another https: address for the manifest itself, and of ssh only the form without a protocol and a port.
  if (protocol === 'https:') return /\.git$|\/_git\//.test(path) ? said : `${said.replace(/\/+$/, '')}.git`;
  return username === '' || port !== '' ? undefined : `${username}@${hostname}:${path}`;
}
