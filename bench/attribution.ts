/**
 * npm run bench:attribution -- --data FOLDER [--labels FILE] [--misses N]
 *
 * Precision and recall of the attribution rules over labelled error texts, by class and by half. The labels are row ids;
 * the texts are read from the data folder. bench/attribution/GUIDE.md describes the labelling.
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
  --misses N      show up to N misclassified texts of the first half`);
  process.exit(values.help ? 0 : 1);
}
if (!existsSync(values.data)) throw new Error(`the folder ${values.data} does not exist`);

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
let missing = 0;
const results = labelled.flatMap(([id, label]): LabelledResult[] => {
  if (id === undefined || !isClass(label)) return [];
  const row = texts.get(id);
  if (row === undefined) {
    missing++;
    return [];
  }
  const half = createHash('sha256').update(id).digest('hex') < '8' ? 'first' : 'second';
  return [{ row, label, found: attribute(row), half }];
});
if (results.length === 0) throw new Error(`${values.data} has none of the labelled rows`);

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
const percent = (value: number | null): string => (value === null ? '–' : `${(value * 100).toFixed(1)} %`).padStart(8);

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
  const rows = results.filter((row) => row.half === half);
  const byClass = figures(rows);
  const accuracy = share(rows.filter(({ label, found }) => label === found).length, rows.length);
  const learnable = share(
    rows.filter(({ label, found }) => isLearnable(label) === isLearnable(found)).length,
    rows.length,
  );
  console.log(
    `\n${half} half${half === 'first' ? ', whose misses were used to improve the rules' : ', held out'}: ${rows.length} rows`,
  );
  console.log('  class            rows  precision   recall');
  for (const [name, { rows: count, precision, recall }] of Object.entries(byClass))
    console.log(`  ${name.padEnd(15)} ${String(count).padStart(5)}   ${percent(precision)} ${percent(recall)}`);
  console.log(`  same class ${percent(accuracy)}; same answer to "is it learnable?" ${percent(learnable)}`);
  result[half] = { rows: rows.length, accuracy, learnable, classes: byClass };
}
if (missing > 0) console.log(`\n${missing} labelled rows are missing from the folder`);
for (const { row, label, found } of results
  .filter((one) => one.half === 'first' && one.label !== one.found)
  .slice(0, Number(values.misses)))
  console.log(`${label} → ${found}: ${row.message.replace(/\s+/g, ' ').slice(0, 160)}`);
console.log(JSON.stringify({ rows: results.length, missing, ...result }));
