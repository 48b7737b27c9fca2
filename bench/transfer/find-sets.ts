import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A set: a folder with its rows. */
export interface SetFile {
  readonly name: string;
  readonly file: string;
}

const ROWS = 'trajectories.jsonl';

/**
 * The sets in folders, by name: each sub-folder with a `trajectories.jsonl`. `wanted`: only those names, in that order.
 * Throws RangeError for a folder that does not exist or holds no set, two sets of one name, and a name that no set has.
 */
export function findSets(folders: readonly string[], wanted?: readonly string[]): SetFile[] {
  const sets = folders.flatMap((folder) => setsIn(folder)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const twice = sets.find(({ name }, at) => sets[at + 1]?.name === name);
  if (twice !== undefined) throw new RangeError(`two sets are called ${twice.name}`);
  if (wanted === undefined) return sets;
  return [...new Set(wanted)].map((name) => {
    const found = sets.find((one) => one.name === name);
    if (found === undefined)
      throw new RangeError(`there is no set ${name}; there are ${sets.map((one) => one.name).join(', ')}`);
    return found;
  });
}

function setsIn(folder: string): SetFile[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new RangeError(`${folder} is no folder`);
  const sets = readdirSync(folder)
    .map((name) => ({ name, file: join(folder, name, ROWS) }))
    .filter(({ file }) => existsSync(file));
  if (sets.length === 0) throw new RangeError(`${folder} holds no folder with a ${ROWS}`);
  return sets;
}
