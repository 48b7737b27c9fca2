import { PRODUCTS, type Product } from '../../access/identity/access.schema.js';
import { clientPath, readHookSettings } from './hook-settings.js';
import { textOf } from './product-files.js';
import { type Folders, SETUPS } from './products.js';

/** The client notes no more than fill 32 KB. */
const MAX_NOTED = 2_000;
/** Exit codes of curl, and what else the client notes. */
const DROP_REASONS: ReadonlyMap<string, string> = new Map([
  ['0', 'redirected'],
  ['6', 'unknown host'],
  ['7', 'no connection'],
  ['22', 'refused by the server'],
  ['28', 'too slow'],
  ['35', 'no TLS'],
  ['60', 'untrusted certificate'],
  ['127', 'no curl'],
  ['full', 'too many at once'],
]);

/** Events of a product that this machine could not send. */
export interface DroppedEvents {
  readonly count: number;
  /** The file is full: there were more. */
  readonly more: boolean;
  /** When the first and the last of them were lost. */
  readonly since: string;
  readonly last: string;
  readonly reasons: Readonly<Record<string, number>>;
}

/** What the client of a product noted since it was connected; null if nothing was lost. */
async function readDropped(folders: Folders, product: Product): Promise<DroppedEvents | null> {
  const text = (await textOf(clientPath(folders, product, 'dropped'))) ?? '';
  const notes = [...text.matchAll(/^(\d{10}) (\w{1,10})$/gm)].map(
    ([, at = '', code = '']) => [Number(at), code] as const,
  );
  const [first, last] = [notes[0], notes.at(-1)];
  if (first === undefined || last === undefined) return null;
  const reasons: Record<string, number> = {};
  for (const [, code] of notes) {
    const reason = DROP_REASONS.get(code) ?? `curl ${code}`;
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  const time = ([seconds]: readonly [number, string]) => new Date(seconds * 1000).toISOString();
  return { count: notes.length, more: notes.length >= MAX_NOTED, since: time(first), last: time(last), reasons };
}

/** A product that is connected on this machine. */
export interface ConnectedProduct {
  readonly product: Product;
  readonly title: string;
  readonly server: string;
  /** Its calls are checked before they run. */
  readonly gate: boolean;
  readonly dropped: DroppedEvents | null;
}

export async function connectedProducts(folders: Folders): Promise<ConnectedProduct[]> {
  const found = await Promise.all(
    PRODUCTS.map(async (product): Promise<ConnectedProduct[]> => {
      const settings = await readHookSettings(folders, product);
      if (settings === undefined) return [];
      const { server, gate } = settings;
      return [{ product, title: SETUPS[product].title, server, gate, dropped: await readDropped(folders, product) }];
    }),
  );
  return found.flat();
}
