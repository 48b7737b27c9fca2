import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { PRODUCTS } from '../../access/identity/access.schema.js';
import { Guildbook } from '../../client/guildbook.js';
import { userFolders } from '../../platform/config/environment.js';
import { PRODUCT_FOLDERS } from '../sources/session-places.js';
import { commandProcess } from '../terminal/command-process.js';
import { readSettings, settingsFile } from './session-settings.js';

const TIMEOUT_MS = 5_000;

/** The agent that a session's program is connected as; undefined for a program, or a file, that is not connected. */
export type ConnectedAgentOf = (format: string, file: string) => string | undefined;

/**
 * The agents that the caller connected on this machine, by product. An import gives the sessions that these programs keep
 * here to the agents that report the next ones, so that one person's work on one machine has the same agents on both ways.
 */
export async function connectedAgents(client: Guildbook): Promise<ConnectedAgentOf> {
  const agents = new Map<string, string>();
  let owner: string | undefined;
  for (const product of PRODUCTS) {
    const settings = await readSettings(settingsFile(product));
    if (settings?.server !== client.server) continue;
    owner ??= (await client.me()).principal.name;
    const connected = new Guildbook({ ...settings, timeoutMs: TIMEOUT_MS, rateLimitWaitMs: 0 });
    const agent = await connected.me().catch(() => undefined);
    if (agent?.principal.kind === 'agent' && agent.principal.owner === owner) agents.set(product, agent.principal.name);
  }
  const { home: named } = userFolders(commandProcess().env);
  const home = await realpath(named).catch(() => named);
  const own = PRODUCT_FOLDERS.map((folder) => join(home, folder, '/'));
  return (format, file) => (own.some((folder) => file.startsWith(folder)) ? agents.get(format) : undefined);
}
