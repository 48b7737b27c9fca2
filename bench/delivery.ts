/**
 * npm run bench:delivery -- --data FOLDER [--more FOLDER]… [--sets a,b] [--seed N] [--skills N] [--lessons] [--only time]
 *
 * Replays the second half of each set call by call, with the skills that the product learns from the first half, and
 * says at which failures an agent would have been advised, and whether the advised action worked in the runs that took it
 * by themselves. Then the time of one answer over HTTP. The last line is JSON.
 */
import { parseArgs } from 'node:util';
import { type MeasuredDelivery, measureDelivery } from './delivery/figures.js';
import { measureLatency } from './delivery/latency.js';
import { readSet } from './sets/set-reader.js';
import { type FoundSet, findSets } from './transfer/find-sets.js';

const HELP = `npm run bench:delivery -- --data FOLDER [options]
  --data FOLDER    sets: each folder in it with a trajectories.jsonl
  --more FOLDER    another folder of sets; may be given repeatedly
  --sample         the sample fleet of the repository, alone or beside the sets of --data
  --sets a,b       only the sets with these names
  --seed N         another split by task, where a set has no distinct times (0)
  --skills N       live skills while an answer is timed (1000); 0 leaves it out
  --calls N        answers that are timed (1000), after a fifth as many that are not
  --lessons        also prints each lesson with its own figures
  --only time      only the time of an answer; needs no sets

Last line: {"sets": {"<name>": figures}, "p50Ms", "p99Ms", "idleP50Ms", "idleP99Ms"}
  precision        among advised failures whose run took the advised action within 5 calls: the share in which it worked
  otherwise        the same share of runs that tried the action in another way, and not in the advised one
  advised          share of recoverable failures with advice for their shape in the session; advisedAtOnce: at this failure
  unsolvedAdvised  advised failures that a cycle over the whole set lists as unsolved
  callsSaved       calls between advised failures and the advised action that worked

Smallest run: --sample --skills 5 --calls 20`;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    more: { type: 'string', multiple: true, default: [] },
    sets: { type: 'string' },
    sample: { type: 'boolean', default: false },
    seed: { type: 'string', default: '0' },
    skills: { type: 'string', default: '1000' },
    calls: { type: 'string', default: '1000' },
    lessons: { type: 'boolean', default: false },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const isOnlyTime = values.only === 'time';
if (
  values.help ||
  (values.only !== undefined && !isOnlyTime) ||
  (values.data === undefined && !values.sample && !isOnlyTime)
) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const [seed, skills] = [wholeNumber('seed', values.seed), wholeNumber('skills', values.skills)];
const calls = wholeNumber('calls', values.calls);
const measured = new Map<string, MeasuredDelivery>();
for (const { name, read } of isOnlyTime ? [] : setsOrExit()) {
  console.error(`${name}: learning and replaying`);
  measured.set(name, measureDelivery(readSet(read(), name), seed));
}
if (!isOnlyTime) print();
const latency = skills > 0 ? await measureLatency(skills, calls, (text) => console.error(text)) : undefined;
if (latency)
  console.log(
    `\nOne answer at ${skills} live skills: p50 ${latency.p50Ms} ms, p99 ${latency.p99Ms} ms; ` +
      `an idle route: p50 ${latency.idleP50Ms} ms, p99 ${latency.idleP99Ms} ms`,
  );
console.log(
  JSON.stringify({
    sets: Object.fromEntries([...measured].map(([name, { figures }]) => [name, figures])),
    ...latency,
  }),
);

function print(): void {
  console.log('set                  lessons  recoverable  advised  followed  precision  others  otherwise  unsolved');
  for (const [name, { figures: one, learned, replay }] of measured) {
    const cells = [one.lessons, one.recoverable, percent(one.advised), one.followed, percent(one.precision)];
    console.log([name.padEnd(20), ...cells, one.others, percent(one.otherwise), one.unsolvedAdvised].join('  '));
    if (!values.lessons) continue;
    for (const { id } of learned.advisables) {
      const own = replay.advised.filter(({ advisable }) => advisable.id === id).map(({ outcome }) => outcome);
      const followed = own.flatMap((outcome) => outcome.followed ?? []);
      const worked = followed.filter(Boolean).length;
      console.log(`    ${learned.titles.get(id)}: advised ${own.length}, worked ${worked} of ${followed.length}`);
    }
  }
}

function percent(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(0)} %`;
}

function setsOrExit(): FoundSet[] {
  try {
    const folders = [...(values.data === undefined ? [] : [values.data]), ...values.more];
    return findSets({ folders, sample: values.sample, wanted: values.sets?.split(',').map((name) => name.trim()) });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  console.error(`--${name} takes a whole number, not ${text}`);
  process.exit(2);
}
