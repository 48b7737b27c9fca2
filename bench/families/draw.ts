/**
 * npx tsx bench/families/draw.ts -- FILE [--rows N] [--seed N]
 *
 * Draws failed calls of a set to be labelled: half of them from all failed calls alike, half from kinds of error. Prints
 * `execution<tab>index` by line, sorted.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../seeded-random.js';
import { readRows } from '../sets/set-row.js';

const { values, positionals } = parseArgs({
  options: { rows: { type: 'string', default: '300' }, seed: { type: 'string', default: '20' } },
  allowPositionals: true,
});
const [file] = positionals;
if (file === undefined) throw new Error('which trajectories.jsonl?');

const random = new SeededRandom(Number(values.seed));
const failed = readRows(readFileSync(file, 'utf8'), 'set').rows.flatMap(({ id, calls }) =>
  calls.flatMap(({ tool, ok, output }, index) =>
    ok === false ? [{ row: `${id}\t${index}`, kind: `${tool} ${kindOf(output)}` }] : [],
  ),
);
const chosen = new Set<string>();
const half = Math.floor(Number(values.rows) / 2);
while (chosen.size < Math.min(half, failed.length)) chosen.add(draw(failed).row);

const byKind = new Map<string, typeof failed>();
for (const one of failed) byKind.set(one.kind, [...(byKind.get(one.kind) ?? []), one]);
const kinds = [...byKind.values()];
while (chosen.size < Math.min(2 * half, failed.length) && kinds.length > 0) {
  const [calls] = kinds.splice(Math.floor(random.uniform() * kinds.length), 1);
  if (calls !== undefined) chosen.add(draw(calls).row);
}
console.log([...chosen].sort().join('\n'));

function draw<T>(from: readonly T[]): T {
  const one = from[Math.floor(random.uniform() * from.length)];
  if (one === undefined) throw new Error('nothing to draw from');
  return one;
}

function kindOf(text: string): string {
  return text
    .replace(/'[^'\n]{0,300}'/g, '[q]')
    .replace(/\d+/g, '#')
    .slice(0, 45);
}
