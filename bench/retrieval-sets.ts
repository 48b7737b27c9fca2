import { meanOf } from '../src/tuning/learning/ranking-quality.js';
import type { Training, TrainingResult } from '../src/tuning/learning/training-contract.js';
import type { Collection } from './retrieval-data.js';
import { type LearningRun, type LearningScores, learn } from './retrieval-learning.js';
import { knownSplit, laterSplit, type TestSplit } from './retrieval-split.js';

const SPLITS: Readonly<Record<'known' | 'later', (collection: Collection, seed: number) => TestSplit>> = {
  known: knownSplit,
  later: laterSplit,
};
const COLUMNS: readonly (keyof LearningScores)[] = ['words', 'before', 'base', 'after', 'queriesAsWords'];

/** Means over the seeds; nDCG@10. */
export interface SetResult {
  /** Today's hybrid on test queries of known documents. */
  readonly before: number;
  /** What the rule serves. */
  readonly after: number;
  /** What the rule serves, on test queries of documents that came later. */
  readonly later: number;
  readonly laterBefore: number;
  readonly known: LearningScores;
  readonly onLater: LearningScores;
  readonly deployed: Readonly<Record<'base' | 'laterBase', number>>;
  readonly seeds: number;
  /** Longest step of a training: milliseconds of processor time, those of garbage collection and compilation included. */
  readonly longestStepMs: number;
}

/** Learns and measures once for each seed and split. */
export async function measureSet(collection: Collection, seeds: number): Promise<SetResult> {
  const runs: Record<'known' | 'later', LearningRun[]> = { known: [], later: [] };
  const watch = new StepWatch();
  for (let seed = 1; seed <= seeds; seed++)
    for (const kind of ['known', 'later'] as const) {
      const run = await learn(SPLITS[kind](collection, seed), seed, (training) => watch.finish(training));
      runs[kind].push(run);
      console.log(lineOf(collection.name, kind, seed, run));
    }
  const [known, onLater] = [meansOf(runs.known), meansOf(runs.later)];
  const count = (some: readonly LearningRun[]) => some.filter(({ base }) => base.verdict.deploy).length;
  return {
    before: known.before,
    after: known.after,
    later: onLater.after,
    laterBefore: onLater.before,
    known,
    onLater,
    deployed: { base: count(runs.known), laterBase: count(runs.later) },
    seeds,
    longestStepMs: Math.round(watch.longest),
  };
}

class StepWatch {
  longest = 0;

  finish(training: Training): TrainingResult {
    for (;;) {
      const before = process.cpuUsage();
      const { done, value } = training.next();
      const { user, system } = process.cpuUsage(before);
      this.longest = Math.max(this.longest, (user + system) / 1_000);
      if (done) return value;
    }
  }
}

function meansOf(runs: readonly LearningRun[]): LearningScores {
  const mean = (column: keyof LearningScores) => meanOf(runs.map(({ scores }) => scores[column]));
  return {
    words: mean('words'),
    before: mean('before'),
    base: mean('base'),
    after: mean('after'),
    queriesAsWords: mean('queriesAsWords'),
  };
}

function lineOf(name: string, kind: string, seed: number, { scores, base }: LearningRun): string {
  const figures = COLUMNS.map((column) => `${column} ${scores[column].toFixed(3)}`).join('  ');
  const outcome = ({ verdict, weight }: TrainingResult) =>
    `weight ${weight}, ${verdict.deploy ? 'deployed' : verdict.reasons.map(({ code }) => code).join(' ')}`;
  return `  ${name} ${kind} ${seed}: ${figures}\n    base: ${outcome(base)}`;
}

/** The means as a table. */
export function tableOf({ known, onLater, seeds }: SetResult): string {
  const cell = (text: string) => text.padStart(15);
  const row = (title: string, scores: LearningScores) =>
    title.padEnd(18) + COLUMNS.map((column) => cell(scores[column].toFixed(4))).join('');
  return [
    `  means of ${seeds} seeds, nDCG@10`,
    `  ${''.padEnd(16)}${COLUMNS.map(cell).join('')}`,
    row('  known documents', known),
    row('  later documents', onLater),
  ].join('\n');
}
