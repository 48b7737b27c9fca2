import { join } from 'node:path';
import { PRODUCTS, type Product } from '../../access/identity/access.schema.js';
import { CliError } from '../terminal/cli-error.js';
import { EXIT } from '../terminal/exit-codes.js';
import { listHooks } from './codex-trust.js';
import { agentOf, requiredProgram } from './connect-product.js';
import { readHookSettings } from './hook-settings.js';
import { installedSkills } from './install-skills.js';
import { textOf } from './product-files.js';
import { type Folders, PLUGIN, pluginFolder, SETUPS } from './products.js';
import { findProgram } from './run-program.js';
import { runSelfTest, type SelfTest } from './self-test.js';
import type { InstalledSkills } from './skills-outcome.js';

export interface ListedProduct {
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
export function listProducts(folders: Folders): Promise<ListedProduct[]> {
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

export interface CheckedProduct {
  readonly product: Product;
  readonly server: string;
  readonly check: SelfTest;
  readonly skills: InstalledSkills | null;
  /** What is not in order and what to do, one sentence each. */
  readonly problems: readonly string[];
}

/** Tests a connection through the installed client. Throws a `CliError` if there is none. */
export async function checkProduct(folders: Folders, product: Product): Promise<CheckedProduct> {
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
  if (skills?.isThere === false) problems.push(`The skills from ${skills.from} are no longer installed. ${again}`);
  return { product, server: settings.server, check, skills, problems };
}
