import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Product } from '../../access/identity/access.schema.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import type { Folders } from './products.js';

/** What the clients in `plugins/` read. */
export interface HookSettings {
  readonly server: string;
  readonly token: string;
  /** The Node.js and the file that run `guildbook import` and `guildbook mcp`. */
  readonly node: string;
  readonly program: string;
  readonly gate: boolean;
}

export const settingsPath = ({ config }: Folders, product: Product): string =>
  join(config, 'guildbook', `${product}.conf`);
/**
 * What the client keeps beside its settings: `rest`, whose date says until when it waits for no answer; `dropped`, a line
 * for each event that was lost; `sending`, a file for each event that it sends in the background.
 */
export const clientPath = (folders: Folders, product: Product, kind: 'rest' | 'dropped' | 'sending'): string =>
  settingsPath(folders, product).replace(/\.conf$/, `.${kind}`);

/** While it exists, the client takes newer skills at the start of a session; its date says when it last did. */
export const skillsDuePath = (folders: Folders, product: Product): string =>
  settingsPath(folders, product).replace(/\.conf$/, '.skills');

/** The settings of a product on this machine; undefined if it is not connected. */
export async function readHookSettings(folders: Folders, product: Product): Promise<HookSettings | undefined> {
  let text: string;
  try {
    text = await readFile(settingsPath(folders, product), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const values = new Map(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
    }),
  );
  const value = (name: string): string => values.get(name) ?? '';
  return {
    server: value('server'),
    token: value('token'),
    node: value('node'),
    program: value('program'),
    gate: value('gate') === 'on',
  };
}

/** Replaces the file as a whole. Only its user can read it. */
export async function writeHookSettings(folders: Folders, product: Product, settings: HookSettings): Promise<void> {
  const { gate, ...values } = settings;
  const lines = Object.entries({ ...values, gate: gate ? 'on' : 'off' }).map(([name, value]) => {
    // A line break would start another setting, and a quotation mark would end the header with the token.
    if (/[\r\n\0]/.test(value) || (name === 'token' && /["\\\s]/.test(value)))
      throw new CliError(
        EXIT.failed,
        'connect.unusable_value',
        `The ${name} holds characters that settings cannot hold.`,
      );
    return `${name}=${value}\n`;
  });
  const path = settingsPath(folders, product);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.part`;
  await rm(part, { force: true });
  const file = await open(part, 'wx', 0o600);
  try {
    await file.writeFile(`# Written by: guildbook connect ${product}\n${lines.join('')}`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
}

export async function removeHookSettings(folders: Folders, product: Product): Promise<void> {
  const paths = [settingsPath, skillsDuePath].map((pathOf) => pathOf(folders, product));
  for (const path of [...paths, `${paths[0]}.lock`]) await rm(path, { force: true, recursive: true });
  await forgetClientState(folders, product);
}

/** Forgets what the client noted with earlier settings. */
export async function forgetClientState(folders: Folders, product: Product): Promise<void> {
  for (const kind of ['rest', 'dropped', 'sending'] as const)
    await rm(clientPath(folders, product, kind), { force: true, recursive: true });
}
