/**
 * npm run bench:learning -- --sessions FILE [--split DATE] [--trials FILE --tasks FILE] [--labels FILE]… [--set FOLDER]
 *
 * Measures what the product learns from earlier executions by later ones: runs one evolver cycle with the default
 * settings over the sessions before a date, and compares its drafts with the errors after it. Also measures the
 * clustering of error texts against labels, and which failed tests of a task the cycle reports as overcome or unsolved.
 * The last line is JSON.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { wilson } from '../src/evolve/statistics/wilson.js';
import { heldOutRows } from './families/held-out.js';
import { callLabels, groupingOf, type LabelledError, labelledCalls, labelledErrors } from './labelled-errors.js';
import { type LearningFigures, measureLearning, type Pair } from './learned-coverage.js';
import { randomHalves } from './random-halves.js';
import { readSet, type SetExecution } from './sets/set-reader.js';
import { classifyProblems, type ProblemClassification, taskTexts, taskTrials } from './task-trials.js';

const HELP = `npm run bench:learning -- [options]
  --sessions FILE   sessions, one JSON object a line: id, agent_id, tool_calls or steps (tool, args, ok, error), started_at
  --split DATE      learns from sessions before it and measures on later ones; without it, several splits
  --trials FILE     trials without calls, one a line: agent, task_id, resolved, tests_passed, tests_failed
  --tasks FILE      the texts of their tasks by task_id
  --labels FILE     error texts with labels, one a line: error and error_type, or text and label; may be given repeatedly;
                    or labels.tsv with labels of failed calls, one a line: execution, index of the call, label
                    (bench/families/GUIDE.md), together with --set
  --set FOLDER      the folder with the trajectories.jsonl that the labels of calls are about
  --halves N        also draws N random halves of the sessions and N of their kinds of work
  --seed N          seed of the draw (1)
  --details         prints every draft with its later outcome`;

const { values } = parseArgs({
  options: {
    sessions: { type: 'string' },
    split: { type: 'string' },
    labels: { type: 'string', multiple: true },
    set: { type: 'string' },
    trials: { type: 'string' },
    tasks: { type: 'string' },
    halves: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    details: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || (!values.sessions && !values.labels && !values.trials)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const result: Record<string, unknown> = {};
if (values.sessions) Object.assign(result, measureSessions(sessionsOf(values.sessions)));
if (values.trials) Object.assign(result, measureTrials(values.trials, values.tasks));
if (values.labels) Object.assign(result, measureLabels(values.labels));
console.log(JSON.stringify(result));

/** Prints the error with the name of the file, since a stack trace would not help. */
function read<T>(file: string, parse: (text: string) => T): T {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error(`${basename(file)}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(2);
  }
}

/** Reads a set by its file. Its name is that of the folder. Lines that are no sessions are skipped and named. */
function sessionsOf(file: string): readonly SetExecution[] {
  const set = read(file, (text) => readSet(text, basename(dirname(resolve(file)))));
  for (const { line, reason } of set.skipped) console.error(`${basename(file)}: line ${line} is skipped: ${reason}`);
  if (set.executions.length > 0) return set.executions;
  console.error(`${basename(file)}: no line is a session`);
  process.exit(2);
}

function measureSessions(sessions: readonly SetExecution[]): object {
  if (values.split !== undefined) {
    const learned = bySplit(sessions, values.split);
    printLearned(`before ${values.split}`, learned);
    return figuresOf(learned);
  }
  const folds = foldsOf(sessions).map(({ name, learned }) => {
    printLearned(name, learned);
    return { name, ...figuresOf(learned) };
  });
  const [middle] = folds;
  const drawn = randomHalves(sessions, Math.floor(Number(values.halves)), Number(values.seed));
  return { ...middle, name: undefined, folds, ...(drawn.length > 0 ? { drawn: drawn.map(summaryOf) } : {}) };
}

/**
 * Summarises many splits in one line: a single split has a handful of drafts, whose rate has an interval from 0 to 1.
 */
function summaryOf({ name, learned }: { name: string; learned: readonly LearningFigures[] }) {
  const rates = learned.map(({ coverage }) => coverage.rate).sort((a, b) => a - b);
  const sum = (of: (one: LearningFigures) => number) => learned.reduce((all, one) => all + of(one), 0);
  const precision = wilson(
    sum((one) => one.precision.successes),
    sum((one) => one.proposals.length),
  );
  const mean = sum((one) => one.coverage.rate) / learned.length;
  const low = learned.filter((one) => one.precision.rate < 0.8).length;
  const percent = (rate: number): string => `${(rate * 100).toFixed(0)} %`;
  console.log(
    `${learned.length} ${name}: covered ${percent(mean)} on average (${percent(rates[0] ?? 0)} to ${percent(rates.at(-1) ?? 0)}); ` +
      `${precision.successes} of ${precision.n} proposals confirmed (${percent(precision.rate)}), below 80 % in ${low} of the splits`,
  );
  return {
    name,
    splits: learned.length,
    coverage: mean,
    coverageLowest: rates[0],
    coverageHighest: rates.at(-1),
    proposals: precision.n,
    precision: precision.rate,
    splitsBelow80: low,
  };
}

function bySplit(sessions: readonly SetExecution[], date: string): LearningFigures {
  const at = Date.parse(date);
  if (Number.isNaN(at)) throw new Error(`--split ${date} is no date`);
  const when = ({ startedAt }: SetExecution): number => Date.parse(startedAt ?? '');
  if (!sessions.some((session) => when(session) >= 0)) {
    console.error('no session says when it started: leave --split out to measure by halves');
    process.exit(2);
  }
  return measureLearning(
    sessions.filter((session) => when(session) < at).map(({ execution }) => execution),
    sessions.filter((session) => when(session) >= at).map(({ execution }) => execution),
  );
}

/**
 * Half by date first, then other dates, then halves independent of the date: every second session, and by kind of work.
 */
function foldsOf(sessions: readonly SetExecution[]): { name: string; learned: LearningFigures }[] {
  const sorted = [...sessions].sort((a, b) => ((a.startedAt ?? '') < (b.startedAt ?? '') ? -1 : 1));
  const fold = (name: string, isBefore: (session: SetExecution, at: number) => boolean) => {
    const [before, after]: SetExecution[][] = [[], []];
    for (const [at, session] of sorted.entries()) (isBefore(session, at) ? before : after)?.push(session);
    const executions = (side: readonly SetExecution[] | undefined) => (side ?? []).map(({ execution }) => execution);
    return { name, learned: measureLearning(executions(before), executions(after)) };
  };
  const kinds = [...new Set(sessions.map(({ workKind }) => workKind))].sort();
  const share = (part: number) => (_: SetExecution, at: number) => at < sorted.length * part;
  const dated = sessions.some(({ startedAt }) => startedAt !== undefined);
  const inOrder = [0.5, 0.35, 0.65, 0.8].map((part) => fold(`the first ${part * 100} %`, share(part)));
  return [
    ...(dated ? inOrder : []),
    fold('every second', (_, at) => at % 2 === 0),
    fold('the other every second', (_, at) => at % 2 === 1),
    fold('half of the kinds', ({ workKind }) => kinds.indexOf(workKind) % 2 === 0),
    fold('the other kinds', ({ workKind }) => kinds.indexOf(workKind) % 2 === 1),
  ];
}

function figuresOf(learned: LearningFigures) {
  const { sessions, errors, coverage, coverageByConfirmed, explained, proposals, precision, untested, outcome } =
    learned;
  return {
    coverage: coverage.rate,
    coverageInterval: [coverage.lower, coverage.upper],
    proposals: proposals.length,
    precision: precision.rate,
    precisionInterval: [precision.lower, precision.upper],
    untested,
    explained: explained.rate,
    unsolved: outcome.unsolved.length,
    heldBack: outcome.heldBack.length,
    errors,
    sessions,
    coverageByConfirmed: coverageByConfirmed.rate,
    confirmed: proposals.filter(({ verdict }) => verdict === 'confirmed').length,
  };
}

function pairText({ with: followed, without }: Pair): string {
  return `with it ${followed.worked} of ${followed.n} worked, without it ${without.worked} of ${without.n}`;
}

function printLearned(name: string, learned: LearningFigures): void {
  const { sessions, errors, coverage, coverageByConfirmed, proposals, precision, outcome } = learned;
  const confirmed = proposals.filter(({ verdict }) => verdict === 'confirmed').length;
  const percent = (rate: number): string => `${(rate * 100).toFixed(0)} %`;
  console.log(
    `${name.padEnd(24)} ${sessions.before} sessions, then ${sessions.after} with ${errors} errors: covered ` +
      `${percent(coverage.rate)} (${percent(coverage.lower)} to ${percent(coverage.upper)}) by ${proposals.length} ` +
      `proposals, ${precision.successes} confirmed later; ${percent(coverageByConfirmed.rate)} by ${confirmed} that the cycle ` +
      `confirmed; ${outcome.unsolved.length} unsolved problems`,
  );
  if (!values.details) return;
  for (const { title, verdict, before, covers, later, confirmed: works } of proposals)
    console.log(
      `    ${works ? 'yes' : 'no '} ${title}: ${verdict}, before ${pairText(before)}; later about ${covers} errors, ` +
        pairText(later),
    );
  for (const { action, errorClass, counts } of outcome.unsolved)
    console.log(
      `    unsolved: ${action}, ${errorClass}: ${counts.failures} failures of ${counts.distinctAgents} agents`,
    );
}

/** Evaluates all trials by themselves, then each half of the trials by the other half. */
function measureTrials(file: string, tasks: string | undefined): object {
  const trials = read(file, taskTrials);
  const texts = tasks === undefined ? new Map<string, string>() : read(tasks, taskTexts);
  const [one, other] = [0, 1].map((part) => trials.filter((_, at) => at % 2 === part));
  const whole = classifyProblems(trials, trials, texts);
  const held = [classifyProblems(one ?? [], other ?? [], texts), classifyProblems(other ?? [], one ?? [], texts)];
  const print = (
    name: string,
    { patterns, overcome, unsolved, between, right, undecidable, falseConfident, proposals }: ProblemClassification,
  ) =>
    console.log(
      `${name.padEnd(24)} ${patterns} (task, test) failed by three agents: ${overcome} overcome by three, ${unsolved} unsolved ` +
        `(${between} between); ${right.successes} verdicts correct (${(right.rate * 100).toFixed(0)} %), ${undecidable} undecidable ` +
        `from the trials seen; ${proposals} proposals, ${falseConfident} about unsolved tests`,
    );
  console.log(`\n${trials.length} trials of ${new Set(trials.map(({ agent }) => agent)).size} agents`);
  print('all trials', whole);
  for (const [at, half] of held.entries()) print(`half ${at + 1}, by the other`, half);
  return {
    contrastRecall: whole.right.rate,
    contrastRecallInterval: [whole.right.lower, whole.right.upper],
    contrastRecallHeldOut: held.map(({ right }) => right.rate),
    contrastRecallHeldOutDecidable: held.map(({ rightOfDecidable }) => rightOfDecidable.rate),
    undecidableHeldOut: held.map(({ undecidable }) => undecidable),
    falseConfidentHeldOut: held.map(({ falseConfident }) => falseConfident),
    falseConfident: whole.falseConfident,
    trials: whole,
  };
}

/** The labelled errors of a file; those of calls also in two parts: the rows by which rules were improved, and the rest. */
function labelledSets(file: string): { name: string; errors: readonly LabelledError[] }[] {
  if (!file.endsWith('.tsv'))
    return [{ name: basename(file).replace(/\.jsonl?$/, ''), errors: read(file, labelledErrors) }];
  if (values.set === undefined) {
    console.error(`${basename(file)} has labels of calls: --set FOLDER is missing`);
    process.exit(2);
  }
  const name = basename(resolve(values.set));
  const labels = read(file, callLabels);
  const { errors, missing } = read(join(values.set, 'trajectories.jsonl'), (text) => labelledCalls(labels, text, name));
  if (missing > 0) console.error(`${name} does not have ${missing} of the labelled calls`);
  const [heldOut, seen] = heldOutRows(errors);
  return [
    { name, errors },
    { name: `${name}, rows by which rules were improved`, errors: seen },
    { name: `${name}, held out`, errors: heldOut },
  ].filter((part) => part.errors.length > 0);
}

/** The keys at the top level are those of the set with the lowest score. */
function measureLabels(files: readonly string[]): object {
  const groupings = files.flatMap(labelledSets).map(({ name, errors }) => {
    const grouping = groupingOf(errors);
    const { texts, labels, groups, ari, pairPrecision, pairRecall, prefix, tfIdf, ceiling } = grouping;
    console.log(
      `\n${name}: ${texts} error texts with ${labels} labels; no grouping of the texts exceeds ${ceiling.toFixed(3)}`,
    );
    console.log('                                     groups    ARI  pair precision  pair recall');
    const row = (what: string, s: { groups: number; ari: number; pairPrecision: number; pairRecall: number }): void =>
      console.log(
        `${what.padEnd(36)} ${String(s.groups).padStart(6)} ${s.ari.toFixed(3).padStart(6)} ${s.pairPrecision.toFixed(3).padStart(15)} ${s.pairRecall.toFixed(3).padStart(12)}`,
      );
    row('guildbook', { groups, ari, pairPrecision, pairRecall });
    row(`message prefix, best: ${prefix.length} characters`, prefix);
    row(`TF-IDF, best: cosine ${tfIdf.bound}`, tfIdf);
    return { name, ...grouping };
  });
  const [first, ...others] = groupings;
  const lowest = others.reduce((low, one) => (low !== undefined && one.ari < low.ari ? one : low), first);
  return {
    ari: lowest?.ari,
    pairPrecision: lowest?.pairPrecision,
    pairRecall: lowest?.pairRecall,
    baselines: { messagePrefix: lowest?.prefix.ari, tfIdf: lowest?.tfIdf.ari, ceiling: lowest?.ceiling },
    grouping: groupings,
  };
}
