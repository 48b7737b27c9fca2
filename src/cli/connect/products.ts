import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Product } from '../../access/identity/access.schema.js';
import type { Environment } from '../../platform/config/environment.js';

/** The marketplace in the folder that `connect` writes, and the plugin in it. */
export const MARKETPLACE = 'guildbook-connect';
export const PLUGIN = 'guildbook';
export const INSTALLED = `${PLUGIN}@${MARKETPLACE}`;

/** A user's folders, as `userFolders` returns them. */
export interface Folders {
  readonly home: string;
  readonly config: string;
  readonly data: string;
  readonly cache: string;
  readonly environment: Environment;
}

export type SettingsFormat = 'json' | 'toml';

/** A file of the product that connecting changes, through the product's own commands or by `connect` itself. */
export interface ProductFile {
  readonly path: string;
  readonly format: SettingsFormat;
  /** Keys of ours that the product leaves behind when it removes the plugin. */
  readonly ownKeys?: readonly KeyPath[];
  /** Keys that do not count when the file is compared with its copy. */
  readonly ignoredKeys?: readonly KeyPath[];
}

/** The names of the sections around a key, and the key itself. */
export type KeyPath = readonly string[];

/** A place in a file of the product. */
export interface Entry {
  readonly file: ProductFile;
  readonly key: KeyPath;
}

/** How one agent program is connected. */
export interface ProductSetup {
  readonly title: string;
  /** The command that starts it. */
  readonly program: string;
  /** The event at which a session starts, in the product's own words. */
  readonly startEvent: string;
  readonly files: (folders: Folders) => readonly ProductFile[];
  /**
   * The folder for skills from the server, which no other product reads: each agent has its own share of them while they
   * are rolled out.
   */
  readonly skills: (folders: Folders) => string;
  /** What the product stores about our plugin and does not delete with it: folders, and keys of caches. */
  readonly remains: (folders: Folders) => {
    readonly folders: readonly string[];
    readonly caches?: readonly ProductFile[];
  };
  /** The product's own commands; `folder` holds the marketplace, with the plugin in `folder/guildbook`. */
  readonly install: (folder: string) => readonly (readonly string[])[];
  readonly uninstall: readonly (readonly string[])[];
}

const ENABLED: KeyPath = ['enabledPlugins', INSTALLED];

const marketplace = (add: string, remove: string): Pick<ProductSetup, 'install' | 'uninstall'> => ({
  install: (folder) => [
    ['plugin', 'marketplace', 'add', folder],
    ['plugin', add, INSTALLED],
  ],
  uninstall: [
    ['plugin', remove, INSTALLED],
    ['plugin', 'marketplace', 'remove', MARKETPLACE],
  ],
});

/** The folder that `connect` writes for a product: a marketplace with one plugin, and nothing else. */
export const pluginFolder = ({ data }: Folders, product: Product): string =>
  join(data, 'guildbook', 'plugins', product);

/** Claude Code and Copilot CLI read a local marketplace at each start, and OpenCode the folder that its settings name. */
const skillsInPlugin =
  (product: Product) =>
  (folders: Folders): string =>
    join(pluginFolder(folders, product), PLUGIN, 'skills');

/** The folder that a variable of the product names, or its usual one. */
export const folderOf = ({ home, environment }: Folders, variable: string, usual: string): string =>
  environment[variable] || join(home, usual);

export const SETUPS: Readonly<Record<Product, ProductSetup>> = {
  'claude-code': {
    title: 'Claude Code',
    program: 'claude',
    startEvent: 'SessionStart',
    skills: skillsInPlugin('claude-code'),
    files: (folders) => [
      {
        path: join(folderOf(folders, 'CLAUDE_CONFIG_DIR', '.claude'), 'settings.json'),
        format: 'json',
        ownKeys: [ENABLED],
      },
    ],
    remains: (folders) => {
      const folder = folderOf(folders, 'CLAUDE_CONFIG_DIR', '.claude');
      const ownKeys = [[`plugin:${PLUGIN}:${PLUGIN}`]];
      return {
        folders: [join(folder, 'plugins', 'cache', MARKETPLACE)],
        caches: [{ path: join(folder, 'mcp-needs-auth-cache.json'), format: 'json', ownKeys }],
      };
    },
    ...marketplace('install', 'uninstall'),
  },
  codex: {
    title: 'Codex',
    program: 'codex',
    startEvent: 'SessionStart',
    // Not in the plugin: Codex stops trusting the hooks of one that changes.
    skills: (folders) => join(folderOf(folders, 'CODEX_HOME', '.codex'), 'skills'),
    files: (folders) => [{ path: join(folderOf(folders, 'CODEX_HOME', '.codex'), 'config.toml'), format: 'toml' }],
    remains: (folders) => ({
      folders: [join(folderOf(folders, 'CODEX_HOME', '.codex'), 'plugins', 'cache', MARKETPLACE)],
    }),
    ...marketplace('add', 'remove'),
  },
  gemini: {
    title: 'Gemini CLI',
    program: 'gemini',
    startEvent: 'SessionStart',
    // Not in the extension, of which it has a copy.
    skills: (folders) => join(folderOf(folders, 'GEMINI_CLI_HOME', '.'), '.gemini', 'skills'),
    files: (folders) => {
      const folder = join(folderOf(folders, 'GEMINI_CLI_HOME', '.'), '.gemini');
      return [
        { path: join(folder, 'settings.json'), format: 'json' },
        { path: join(folder, 'extensions/extension-enablement.json'), format: 'json' },
        // Signed as a whole, so that no key can be taken out of it.
        {
          path: join(folder, 'extension_integrity.json'),
          format: 'json',
          ignoredKeys: [['store', PLUGIN], ['signature']],
        },
      ];
    },
    remains: () => ({ folders: [] }),
    install: (folder) => [['extensions', 'install', join(folder, PLUGIN), '--consent', '--skip-settings']],
    uninstall: [['extensions', 'uninstall', PLUGIN]],
  },
  opencode: {
    title: 'OpenCode',
    program: 'opencode',
    startEvent: 'SessionStart',
    skills: skillsInPlugin('opencode'),
    files: ({ config }) => {
      const [jsonc = '', json = ''] = ['opencode.jsonc', 'opencode.json'].map((file) => join(config, 'opencode', file));
      return [{ path: existsSync(jsonc) ? jsonc : json, format: 'json' }];
    },
    remains: ({ cache }) => ({ folders: [join(cache, 'guildbook')] }),
    // `connect` edits the file itself: OpenCode has no command for it.
    install: () => [],
    uninstall: [],
  },
  copilot: {
    title: 'Copilot CLI',
    program: 'copilot',
    startEvent: 'sessionStart',
    skills: skillsInPlugin('copilot'),
    files: (folders) =>
      ['settings.json', 'config.json'].map((file) => ({
        path: join(folderOf(folders, 'COPILOT_HOME', '.copilot'), file),
        format: 'json',
        ownKeys: [ENABLED],
      })),
    remains: (folders) => ({
      folders: [join(folderOf(folders, 'COPILOT_HOME', '.copilot'), 'plugin-data', MARKETPLACE)],
    }),
    ...marketplace('install', 'uninstall'),
  },
};
