import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Product } from '../../access/identity/access.schema.js';
import { Guildbook, GuildbookError } from '../../client/guildbook.js';
import { messageOf } from '../../platform/base/error-text.js';
import { forgetTrust } from './codex-trust.js';
import { clearPlugin, programRunner } from './connect-product.js';
import { type HookSettings, readHookSettings, removeHookSettings } from './hook-settings.js';
import { removeSkills } from './install-skills.js';
import { withoutGuildbook } from './opencode-settings.js';
import { parsedSettings, removeEmptyFolders, removeFromCache, restoreCopies, textOf } from './product-files.js';
import { type Folders, PLUGIN, type ProductFile, pluginFolder, SETUPS } from './products.js';
import { findProgram } from './run-program.js';

export interface Disconnected {
  readonly product: Product;
  readonly wasConnected: boolean;
  /** Whether the token no longer works. */
  readonly revoked: boolean;
  /** What could not be undone, one sentence each. */
  readonly left: readonly string[];
}

/** Takes back everything that `connectProduct` did. May be repeated. */
export async function disconnectProduct(folders: Folders, product: Product): Promise<Disconnected> {
  const { files: filesOf, program: name, title } = SETUPS[product];
  const files = filesOf(folders);
  for (const file of files) {
    const text = await textOf(file.path);
    if (text !== undefined) parsedSettings(file, text);
  }
  const settings = await readHookSettings(folders, product);
  const plugin = join(pluginFolder(folders, product), PLUGIN);
  const left: string[] = [];
  const program = await findProgram(name, folders.environment);
  if (program === undefined) left.push(`${title} is not installed: its own list of plugins was not changed.`);
  else await removeFromProduct(folders, product, program, left);
  const edited = await removeSkills({ folders, product, program });
  if (edited.length > 0)
    left.push(`Skills that a person edited stay in ${SETUPS[product].skills(folders)}: ${edited.join(', ')}`);
  if (product === 'opencode') await editOpenCode(files, plugin);
  const revoked = settings === undefined || (await revoke(settings, left));
  await clearPlugin(pluginFolder(folders, product));
  await restoreCopies(folders, product, files);
  await removeHookSettings(folders, product);
  await removeRemains(folders, product);
  return { product, wasConnected: settings !== undefined, revoked, left };
}

async function removeFromProduct(folders: Folders, product: Product, program: string, left: string[]): Promise<void> {
  const run = programRunner(folders, program);
  if (product === 'codex') {
    try {
      await forgetTrust(program, run.options);
    } catch (error) {
      left.push(`Codex still has the trust in the hooks in its settings (hooks.state): ${messageOf(error)}`);
    }
  }
  // A product that has no such plugin says so with a failure, which is what undoing wants.
  for (const args of SETUPS[product].uninstall) await run.quietly(args);
}

async function editOpenCode([file]: readonly ProductFile[], plugin: string): Promise<void> {
  const before = file === undefined ? undefined : await textOf(file.path);
  if (file === undefined || before === undefined) return;
  const entries = { plugin: join(plugin, 'guildbook.js'), server: join(plugin, 'guildbook-mcp') };
  const after = withoutGuildbook(before, entries);
  if (after !== before) await writeFile(file.path, after);
}

async function revoke(settings: HookSettings, left: string[]): Promise<boolean> {
  const { server, token } = settings;
  try {
    await new Guildbook({ server, token, timeoutMs: 10_000, rateLimitWaitMs: 0 }).ownToken.revoke();
    return true;
  } catch (error) {
    if (error instanceof GuildbookError && error.problem.status === 401) return true;
    left.push(
      `The token still works at ${server}, which did not revoke it: ${messageOf(error)}. An administrator ends it with: guildbook agents rotate <agent>`,
    );
    return false;
  }
}

/** What the product keeps about a plugin that it no longer has, and our own folders if they hold nothing else. */
async function removeRemains(folders: Folders, product: Product): Promise<void> {
  const { data, config } = folders;
  const { folders: left, caches = [] } = SETUPS[product].remains(folders);
  for (const folder of left) {
    await rm(folder, { recursive: true, force: true });
    await removeEmptyFolders(dirname(folder), dirname(folder));
  }
  for (const cache of caches) await removeFromCache(cache);
  const ours = join(data, 'guildbook');
  for (const folder of ['plugins', 'copies', 'skills']) await removeEmptyFolders(join(ours, folder), ours);
  await removeEmptyFolders(join(config, 'guildbook'), join(config, 'guildbook'));
}
