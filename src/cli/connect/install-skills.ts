import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Product } from '../../access/identity/access.schema.js';
import { optional } from '../../platform/base/optional.js';
import { gitRemote } from '../../platform/config/git-remote.js';
import type { RepositoryState } from '../../skills/publishing/remote.schema.js';
import { CliError } from '../terminal/cli-error.js';
import type { HookSettings } from './hook-settings.js';
import { namesSkills, withoutSkills, withSkills } from './opencode-settings.js';
import {
  readSkillsRecord,
  removeSkillsRecord,
  type SkillsRecord,
  type SyncedSkills,
  textOf,
  valueAt,
  writeSkillsRecord,
} from './product-files.js';
import { type Entry, type Folders, folderOf, SETUPS } from './products.js';
import { failureOf } from './run-program.js';
import { type InstalledSkills, type SkillsOutcome, type SkillsTarget, summaryOf } from './skills-outcome.js';
import { areThere, indexOf, removeSynced, syncSkills } from './synced-skills.js';

/**
 * Installs the published skills, or takes the newest of them: from the server's git remote with the product's own command
 * where the product takes the address, otherwise from the server. What an earlier run installed from elsewhere goes
 * first.
 */
export async function installSkills(
  target: SkillsTarget,
  settings: HookSettings,
  { head, remote }: Pick<RepositoryState, 'head' | 'remote'>,
): Promise<SkillsOutcome> {
  const { folders, product } = target;
  const setup = marketplaceOf(product);
  // A server of an earlier version does not say an address.
  const address = setup && remote?.address ? addressFor(product, remote.address) : undefined;
  const from = address ?? indexOf(settings.server);
  const earlier = await readSkillsRecord(folders, product);
  if (earlier !== undefined && earlier.from !== from) await removeSkills(target);
  const record = earlier?.from === from ? earlier : undefined;
  if (setup === undefined || address === undefined) {
    const isByHand = product === 'opencode' && record === undefined && (await isNamed(folders, from));
    return isByHand ? { state: 'kept', from } : installFromServer(folders, product, settings, from);
  }
  if (head === null) return { state: 'not installed', reason: 'nothing published' };
  return installPlugin(target, setup, address, record);
}

/**
 * Takes back what `installSkills` installed, and nothing else. May be repeated. Returns the names of the skills that a
 * person edited, which stay.
 */
export async function removeSkills({ folders, product, program }: SkillsTarget): Promise<string[]> {
  const record = await readSkillsRecord(folders, product);
  if (record === undefined) return [];
  const setup = marketplaceOf(product);
  const kept = record.synced === undefined ? [] : await removeSynced(folders, product, record.synced);
  if (product === 'opencode') await editOpenCode(folders, withoutSkills);
  if (record.synced === undefined && setup !== undefined) {
    if (program !== undefined) for (const args of setup.uninstall) await failureOf(program, args, folders);
    for (const folder of setup.remains(folders)) await rm(folder, { recursive: true, force: true });
  }
  await removeSkillsRecord(folders, product);
  return kept;
}

async function installFromServer(
  folders: Folders,
  product: Product,
  settings: HookSettings,
  from: string,
): Promise<SkillsOutcome> {
  const synced = await syncSkills(folders, product, settings);
  if (product === 'opencode')
    try {
      await editOpenCode(folders, withSkills);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return { state: 'failed', from, command: `edit ${openCodeSettings(folders)}`, said: error.message };
    }
  return { state: 'synced', from, ...summaryOf(synced) };
}

const openCodeSettings = (folders: Folders): string => SETUPS.opencode.files(folders)[0]?.path ?? '';

const isNamed = async (folders: Folders, place: string): Promise<boolean> =>
  namesSkills((await textOf(openCodeSettings(folders))) ?? '{}', place);

/** Names the folder of the skills in the settings of OpenCode, which has no command for it, or takes it out. */
async function editOpenCode(folders: Folders, edit: (text: string, folder: string) => string): Promise<void> {
  const path = openCodeSettings(folders);
  const before = (await textOf(path)) ?? '{}\n';
  const after = edit(before, SETUPS.opencode.skills(folders));
  if (after !== before) await writeFile(path, after);
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
  await writeSkillsRecord(folders, product, { from });
  for (const args of isUpdate ? setup.update : setup.install(from)) {
    const said = await failureOf(program, args, folders);
    if (said === undefined) continue;
    // What an earlier run installed stays; half an installation does not.
    if (!isUpdate) await removeSkills(target);
    return { state: 'failed', from, command: [SETUPS[product].program, ...args].join(' '), said };
  }
  return { state: 'installed', from };
}

/** What `connect` installed of the skills; null if it installed none. */
export async function installedSkills(folders: Folders, product: Product): Promise<InstalledSkills | null> {
  const record = await readSkillsRecord(folders, product);
  if (record === undefined) return null;
  const { from, synced } = record;
  const isThere = await (synced === undefined ? hasPlugin(folders, product) : hasSynced(folders, product, synced));
  return { from, isThere, ...optional('synced', synced && summaryOf(synced)) };
}

async function hasPlugin(folders: Folders, product: Product): Promise<boolean> {
  const setup = marketplaceOf(product);
  return setup !== undefined && (await valueAt(setup.plugin(folders))) !== undefined;
}

async function hasSynced(folders: Folders, product: Product, synced: SyncedSkills): Promise<boolean> {
  if (!(await areThere(synced))) return false;
  return product !== 'opencode' || isNamed(folders, synced.folder);
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

/** Undefined for Gemini CLI and OpenCode, which have no marketplace. */
const marketplaceOf = (product: Product): MarketplaceSetup | undefined =>
  product === 'gemini' || product === 'opencode' ? undefined : MARKETPLACES[product];

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
