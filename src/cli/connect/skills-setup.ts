import { join } from 'node:path';
import type { Product } from '../../access/identity/access.schema.js';
import { gitRemote } from '../../platform/config/git-remote.js';
import { type Entry, type Folders, folderOf } from './products.js';

/** The names in the published repository's manifest. */
const MARKETPLACE = 'guildbook';
const SKILLS_PLUGIN = `guildbook-skills@${MARKETPLACE}`;
/** No character that a shell, or the syntax of a product's own argument, gives a meaning. */
const PLAIN_ADDRESS = /^[\w.~:/@%+-]+$/;

type Commands = readonly (readonly string[])[];

/** A product that takes skills as a plugin, from a marketplace that is the published repository. */
export interface MarketplaceSetup {
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

export const MARKETPLACES: Readonly<Record<'claude-code' | 'codex' | 'copilot', MarketplaceSetup>> = {
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
export const geminiSkills = (folders: Folders): string =>
  join(folderOf(folders, 'GEMINI_CLI_HOME', '.'), '.gemini', 'skills');

/** The index from which OpenCode takes skills by itself, without a credential. */
export const indexOf = (server: string): string => `${server.replace(/\/+$/, '')}/.well-known/agent-skills/`;

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
