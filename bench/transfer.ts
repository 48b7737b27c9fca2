/**
 * npm run bench:transfer -- --data FOLDER [--more FOLDER]… [--sets a,b] [--draws N] [--proposals FILE] [--seed N]
 *   [--null-cycles N] [--calibration-draws N] [--uncovered N]
 *
 * Measures whether what the evolver learns from one half of a set holds on the other half: how many failures its
 * lessons cover there, and how many lessons it would confirm if outcomes were chance. The last line is JSON.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readSet } from './sets/set-reader.js';
import { calibrationOf } from './transfer/calibration.js';
import { type FoundSet, findSets } from './transfer/find-sets.js';
import { type MeasuredSet, measureSet } from './transfer/measure-set.js';
import { uncoveredText } from './transfer/overcome-failures.js';
import { examinedFamilies } from './transfer/product-side.js';
import { proposalsText } from './transfer/proposals-text.js';

const HELP = `npm run bench:transfer -- --data FOLDER [options]
  --data FOLDER     sets: each folder in it with a trajectories.jsonl
  --more FOLDER     another folder of sets; may be given repeatedly
  --sample          the sample fleet of the repository, alone or beside the sets of --data
  --sets a,b        only the sets with these names
  --draws N         shuffles of the null (200)
  --null-cycles N   cycles of the null with candidates mined from shuffled outcomes (5); each takes as long as a cycle
  --calibration-draws N  halves of the origins of which lessons are learned to compare their confidence with the other
                    halves (1)
  --uncovered N     prints N failures per set that their runs overcame and of which no confirmed lesson says how
  --proposals FILE  writes every proposal of every set into FILE
  --seed N          0 (the default) splits as the product does; another number draws other halves and shuffles

Last line: {"sets": {"<name>": figures}, "calibration", "bypassThrough"}
  families                       families of failures that the product examined
  errors, recoverable            failures of the set; those after which, within 8 calls, the same action worked with a
                                 change that can be named
  confirmed … refuted            lessons by verdict
  covered, coveredRecoverable    shares of the failures, and of the recoverable ones, on the held-out half that
                                 confirmed lessons cover; observedCovered…: confirmed and observed ones
  overcome                       failures that their runs overcame, as the learning core sees it
  strictCovered                  share of these that confirmed lessons cover on the held-out half; strictRecoverable:
                                 and the call that overcame it does what the lesson says; observedStrict…: confirmed
                                 and observed ones
  null, nullInterval             mean of lessons confirmed per cycle with candidates fixed and outcomes shuffled within
                                 each execution, with its 95 % interval
  proposed                       proposals of a cycle by verdict
  nullConfirmed, nullObserved    mean of the same per cycle over shuffled outcomes, of which its candidates are mined,
                                 with the 95 % interval
  withoutOneAgent, …Harness      confirmed lessons that stay so whichever is left out, of those seen with more than one
  calibration                    of all sets: candidates by the confidence that they state (from, to, n, stated: the
                                 mean), and the share that holds on the other half, with its 95 % interval
  bypassThrough                  lessons that reach the queue although they only skip a check

Smallest run: --sample --draws 2`;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    more: { type: 'string', multiple: true, default: [] },
    sets: { type: 'string' },
    sample: { type: 'boolean', default: false },
    draws: { type: 'string', default: '200' },
    'null-cycles': { type: 'string', default: '5' },
    'calibration-draws': { type: 'string', default: '1' },
    uncovered: { type: 'string', default: '0' },
    seed: { type: 'string', default: '0' },
    proposals: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || (values.data === undefined && !values.sample)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const [draws, seed] = [wholeNumber('draws', values.draws), wholeNumber('seed', values.seed)];
const nullCycles = wholeNumber('null-cycles', values['null-cycles']);
const calibrationDraws = wholeNumber('calibration-draws', values['calibration-draws']);
const uncovered = wholeNumber('uncovered', values.uncovered);
const sets = orExit(() =>
  findSets({
    folders: [...(values.data === undefined ? [] : [values.data]), ...values.more],
    sample: values.sample,
    wanted: values.sets?.split(',').map((name) => name.trim()),
  }),
);
const measured = new Map<string, MeasuredSet>();
for (const set of sets) measured.set(set.name, measure(set));
if (values.proposals !== undefined) {
  const texts = [...measured].map(([name, { executions }]) => proposalsText(name, executions));
  writeFileSync(values.proposals, texts.join('\n'));
}
if (uncovered > 0)
  for (const [name, { overcome }] of measured) console.log(uncoveredText(name, overcome, uncovered, seed));
const calibration = calibrationOf([...measured.values()].flatMap((one) => one.calibration));
printTable();
printCalibration();
for (const [name, { bypasses }] of measured)
  for (const { key, skips } of bypasses) console.log(`${name}: ${key} reaches the queue and skips a check: ${skips}`);
console.log(
  JSON.stringify(
    {
      sets: Object.fromEntries([...measured].map(([name, { figures }]) => [name, figures])),
      calibration,
      bypassThrough: [...measured.values()].reduce((sum, { bypasses }) => sum + bypasses.length, 0),
    },
    // shares and means with four digits
    (_, value: unknown) => (typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : value),
  ),
);

/** Bad input ends the run with its message. */
function orExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

function measure({ name, read }: FoundSet): MeasuredSet {
  const progress = (text: string): void => console.error(`${name}: ${text}`);
  progress('reading');
  const set = readSet(read(), name);
  for (const { line, reason } of set.skipped) progress(`line ${line} is skipped: ${reason}`);
  const found = measureSet(set, {
    draws,
    calibrationDraws,
    nullCycles,
    seed,
    examine: examinedFamilies,
    progress,
    now: () => performance.now(),
  });
  progress(`${found.figures.seconds} s`);
  return found;
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  console.error(`--${name} takes a whole number, not ${text}`);
  process.exit(2);
}

function printTable(): void {
  const columns =
    'families errors recoverable confirmed observed undecided refuted covered of-recoverable +observed overcome strict ' +
    'strict+observed null null-confirmed null-observed';
  console.log(`\n${'set'.padEnd(20)} ${columns} without-agent without-harness seconds`);
  for (const [name, { figures: one }] of measured) {
    const counts = [one.families, one.errors, one.recoverable, one.confirmed, one.observed, one.undecided, one.refuted];
    const shares = [one.covered, one.coveredRecoverable, one.observedCoveredRecoverable].map((share) => percent(share));
    const strict = [one.strictRecoverable, one.observedStrictRecoverable].map((share) => percent(share));
    const cells = [
      ...counts,
      ...shares,
      one.overcome,
      ...strict,
      mean(one.null, one.nullInterval),
      mean(one.nullConfirmed, one.nullConfirmedInterval),
      mean(one.nullObserved, one.nullObservedInterval),
      ...[one.withoutOneAgent, one.withoutOneHarness].map(({ confirmed, of }) => `${confirmed}/${of}`),
      one.seconds,
    ];
    console.log(`${name.padEnd(20)} ${cells.join('  ')}`);
  }
}

function printCalibration(): void {
  console.log('\nstated confidence, candidates, mean, of which hold on the other half');
  for (const { from, to, n, stated, holds } of calibration)
    console.log(
      `${percent(from)} to ${percent(to)}  ${n}  ${percent(stated)}  ${percent(holds.rate)} (${percent(holds.lower)} to ${percent(holds.upper)})`,
    );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function mean(value?: number, interval?: readonly [low: number, high: number]): string {
  if (value === undefined || interval === undefined) return '-';
  const [low, high] = interval;
  return `${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
}
