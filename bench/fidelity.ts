/**
 * npm run bench:fidelity -- --data FOLDER [--data FOLDER]… [--sets a,b] [--details]
 *
 * Measures whether what the product writes was seen to work: runs one evolver cycle with default settings over every
 * set, writes the private lesson of every execution, and judges all texts by the rows of the set alone. The judge is
 * code of its own (bench/fidelity), so that it does not share a mistake with the product. The last line is JSON.
 */
import { parseArgs } from 'node:util';
import { type Fidelity, judge } from './fidelity/judge.js';
import { withCanaries } from './fidelity/private-values.js';
import { underTest } from './fidelity/set-under-test.js';
import { readSet } from './sets/set-reader.js';
import { type FoundSet, findSets } from './transfer/find-sets.js';

const HELP = `npm run bench:fidelity -- --data FOLDER [options]
  --data FOLDER   sets: each folder in it with a trajectories.jsonl; may be given repeatedly
  --sample        the sample fleet of the repository, alone or beside the sets of --data
  --sets a,b      only the sets with these names
  --details       prints every fault

Last line: {"commands", "observed", "dangling", "lost", "private"}
  commands   recommended commands and tool calls in the title, description, action, steps and example of proposals
             (those held back too), of their SKILL.md and of private lessons, once for each lesson
  observed   share of them that are a successful call of the set with its placeholders filled, or a word of one
  dangling   flags without their value, empty variables, and placeholders that do not say what goes there
  lost       families in which failed and successful call differ by a value that the lesson does not show
  private    home paths, e-mail addresses, hosts, addresses with a query, names and canaries

Smallest run: --sample`;

const { values } = parseArgs({
  options: {
    data: { type: 'string', multiple: true, default: [] },
    sample: { type: 'boolean', default: false },
    sets: { type: 'string' },
    details: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || (values.data.length === 0 && !values.sample)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const rows: string[] = [];
const figures: Fidelity[] = [];
for (const { name, read } of setsOrExit()) {
  console.error(`${name}: reading`);
  const set = readSet(read(), name, withCanaries);
  for (const { line, reason } of set.skipped) console.error(`${name}: line ${line} is skipped: ${reason}`);
  console.error(`${name}: ${set.executions.length} executions, ${set.unknownResults} calls without a result`);
  const tested = underTest(set);
  console.error(`${name}: judging ${tested.lessons.length} lessons`);
  const found = judge(tested);
  figures.push(found);
  const proposals = tested.lessons.filter(({ lesson }) => lesson.kind === 'proposal').length;
  rows.push(
    rowOf(name, set.executions.length, set.skipped.length, proposals, tested.lessons.length - proposals, found),
  );
  if (values.details) printFindings(name, found);
}
const sum = (of: (one: Fidelity) => number): number => figures.reduce((all, one) => all + of(one), 0);
const commands = sum((one) => one.commands);
console.log('\nset                  executions skipped proposals lessons commands observed dangling lost private');
for (const row of rows) console.log(row);
console.log(
  JSON.stringify({
    commands,
    observed: commands === 0 ? 1 : sum((one) => one.observed) / commands,
    dangling: sum((one) => one.dangling),
    lost: sum((one) => one.lost),
    private: sum((one) => one.private),
  }),
);

/** The sets of a folder. */
function setsOrExit(): FoundSet[] {
  try {
    return findSets({ folders: values.data, sample: values.sample, wanted: values.sets?.split(',') });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

function rowOf(
  name: string,
  executions: number,
  skipped: number,
  proposals: number,
  lessons: number,
  found: Fidelity,
): string {
  const share = found.commands === 0 ? '–' : (found.observed / found.commands).toFixed(3);
  const cells: [string | number, number][] = [
    ...([executions, skipped, proposals, lessons].map((n, at) => [n, [10, 7, 9, 7][at] ?? 7]) satisfies [
      number,
      number,
    ][]),
    [found.commands, 8],
    [share, 8],
    [found.dangling, 8],
    [found.lost, 4],
    [found.private, 7],
  ];
  return `${name.padEnd(20)} ${cells.map(([value, width]) => String(value).padStart(width)).join(' ')}`;
}

function printFindings(name: string, { findings }: Fidelity): void {
  for (const { figure, lesson, text } of findings) console.log(`${name}: ${figure}: ${text}\n    ${lesson}`);
}
