import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sampleRows } from '../sets/sample-set.js';

/** A set by its name, with its rows as JSON lines. */
export interface FoundSet {
  readonly name: string;
  readonly read: () => string;
}

export interface SetPlaces {
  readonly folders: readonly string[];
  /** Adds the sample fleet of the repository. */
  readonly sample?: boolean;
  /** Only those names, in that order. */
  readonly wanted?: readonly string[] | undefined;
}

const ROWS = 'trajectories.jsonl';

/**
 * The sets in folders, by name: each sub-folder with a `trajectories.jsonl`.
 * Throws RangeError for a folder that does not exist or holds no set, two sets of one name, and a name that no set has.
 */
export function findSets({ folders, sample = false, wanted }: SetPlaces): FoundSet[] {
  const own = sample ? [{ name: 'sample-fleet', read: sampleRows }] : [];
  const sets = [...own, ...folders.flatMap(setsIn)].sort((a, b) => (a.name < b.name ? -1 : 1));
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

function setsIn(folder: string): FoundSet[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new RangeError(`${folder} is no folder`);
  const sets = readdirSync(folder)
    .map((name) => ({ name, file: join(folder, name, ROWS) }))
    .filter(({ file }) => existsSync(file))
    .map(({ name, file }) => ({ name, read: () => readFileSync(file, 'utf8') }));
  if (sets.length === 0) throw new RangeError(`${folder} holds no folder with a ${ROWS}`);
  return sets;
}
