import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Product } from '../../access/identity/access.schema.js';
import { PROJECT_ROOT } from '../../platform/config/environment.js';
import { type Folders, MARKETPLACE, PLUGIN, pluginFolder } from './products.js';

const SHIPPED = join(PROJECT_ROOT, 'plugins');
const CLIENTS = ['guildbook-hook', 'guildbook-mcp'];
const Hooks = z.looseObject({ hooks: z.record(z.string(), z.unknown()) });

/**
 * Writes the plugin of this package into a folder that only `connect` changes. The hook before a call is added only with
 * `gate`. The bytes depend on nothing else: Codex stops trusting the hooks of a plugin that changes.
 */
export async function copyPlugin(folders: Folders, product: Product, gate: boolean): Promise<string> {
  const folder = pluginFolder(folders, product);
  const plugin = join(folder, PLUGIN);
  await rm(folder, { recursive: true, force: true });
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
