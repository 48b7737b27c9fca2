/**
 * npm run bench:attribution -- --data FOLDER [--labels FILE] [--misses N]
 *
 * Precision and recall of the attribution rules (spec L3) over labelled error texts, by class and by half. The labels
 * are row ids; the texts are read from the data folder. bench/attribution/GUIDE.md says how they were labelled.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Attribution, attribute, isLearnable } from '../src/capture/errors/attribution.js';
import { type ErrorRow, errorRows } from './attribution/texts.js';

const CLASSES = ['procedure', 'environment', 'permission', 'capability', 'underspecified', 'unknown'] as const;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    labels: { type: 'string', default: fileURLToPath(new URL('./attribution/labels.tsv', import.meta.url)) },
    misses: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || values.data === undefined) {
  console.log(`npm run bench:attribution -- --data FOLDER [options]
  --data FOLDER   the folder with the data sets
  --labels FILE   rows of "id<tab>label" (default: bench/attribution/labels.tsv)
  --misses N      show so many texts of the first half that are classed otherwise`);
  process.exit(values.help ? 0 : 1);
}
if (!existsSync(values.data)) throw new Error(`there is no folder ${values.data}`);

interface LabelledResult {
  readonly row: ErrorRow;
  readonly label: Attribution;
  readonly found: Attribution;
  readonly half: 'first' | 'second';
}

const isClass = (name: string | undefined): name is Attribution => CLASSES.some((known) => known === name);

const texts = errorRows(values.data);
const labelled = readFileSync(values.labels, 'utf8')
  .split('\n')
  .map((line) => line.trim().split('\t'));
let absent = 0;
const judged = labelled.flatMap(([id, label]): LabelledResult[] => {
  if (id === undefined || !isClass(label)) return [];
  const row = texts.get(id);
  if (row === undefined) {
    absent++;
    return [];
  }
  const half = createHash('sha256').update(id).digest('hex') < '8' ? 'first' : 'second';
  return [{ row, label, found: attribute(row), half }];
});
if (judged.length === 0) throw new Error(`none of the labelled rows is in ${values.data}`);

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
const shown = (value: number | null): string => (value === null ? '–' : `${(value * 100).toFixed(1)} %`).padStart(8);

function figures(rows: readonly LabelledResult[]) {
  return Object.fromEntries(
    CLASSES.map((name) => {
      const right = rows.filter(({ label, found }) => label === name && found === name).length;
      const found = rows.filter((row) => row.found === name).length;
      const labels = rows.filter(({ label }) => label === name).length;
      return [name, { rows: labels, precision: share(right, found), recall: share(right, labels) }];
    }),
  );
}

const result: Record<string, unknown> = {};
for (const half of ['first', 'second'] as const) {
  const rows = judged.filter((row) => row.half === half);
  const byClass = figures(rows);
  const accuracy = share(rows.filter(({ label, found }) => label === found).length, rows.length);
  const gate = share(rows.filter(({ label, found }) => isLearnable(label) === isLearnable(found)).length, rows.length);
  console.log(
    `\n${half} half${half === 'first' ? ', by whose misses the rules were improved' : ', whose misses nobody looked at'}: ${rows.length} rows`,
  );
  console.log('  class            rows  precision   recall');
  for (const [name, { rows: count, precision, recall }] of Object.entries(byClass))
    console.log(`  ${name.padEnd(15)} ${String(count).padStart(5)}   ${shown(precision)} ${shown(recall)}`);
  console.log(`  same class ${shown(accuracy)}; same answer to "may it teach?" ${shown(gate)}`);
  result[half] = { rows: rows.length, accuracy, gate, classes: byClass };
}
if (absent > 0) console.log(`\n${absent} labelled rows are not in the folder`);
for (const { row, label, found } of judged
  .filter((one) => one.half === 'first' && one.label !== one.found)
  .slice(0, Number(values.misses)))
  console.log(`${label} → ${found}: ${row.message.replace(/\s+/g, ' ').slice(0, 160)}`);
console.log(JSON.stringify({ rows: judged.length, absent, ...result }));
