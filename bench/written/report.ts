import type { AnswerOutcome } from './answer-outcome.js';
import type { WriterFigures } from './measure-written.js';
import type { ReplayedSet } from './replay.js';

const IN_SAMPLE =
  'In sample: the recorded dossiers were built from these rows, so that the figures say that the path works, not how well a model writes about unseen ones.';

/** What became of all bad answers, and of the good recorded ones. */
export function totalsOf(sets: readonly ReplayedSet[]) {
  const all = sets.flatMap(({ outcomes }) => outcomes);
  const hostile = (own: boolean): AnswerOutcome[] => all.filter((one) => one.hostile?.own === own);
  // what the product asks nothing about was stopped by nothing
  const through = (of: readonly AnswerOutcome[]) => ({
    through: of.filter((one) => one.isQueued).length,
    of: of.length,
    asked: of.filter(({ outcome }) => outcome !== 'no_family').length,
  });
  const good = sets
    .filter(({ inSample }) => inSample)
    .flatMap(({ outcomes }) => outcomes.filter(({ hostile: bad, outcome }) => !bad && outcome !== 'declined'));
  return {
    hostileThrough: all.filter((one) => one.hostile && one.isQueued).length,
    hostile: { recorded: through(hostile(false)), own: through(hostile(true)) },
    goodLost: good.filter(isLost).length,
    goodUndecided: good.filter((one) => !one.isQueued && !isLost(one)).length,
    good: good.length,
  };
}

/** Stopped by a self-check, a gate or the scope, or refuted; not for want of executions or of a family. */
const isLost = ({ outcome, because, isQueued }: AnswerOutcome): boolean =>
  !isQueued && (['rejected', 'no_answer', 'refuted'].includes(outcome) || because === 'scope');

/** The JSON of a set beside the figures of the rules. */
export function writtenJson({ inSample, figures, outcomes, unanswered }: ReplayedSet) {
  const { written, both, rulesThere, errors, recoverable } = figures;
  const own = outcomes.filter(({ hostile }) => !hostile);
  const count = (outcome: AnswerOutcome['outcome']): number => own.filter((one) => one.outcome === outcome).length;
  return {
    inSample,
    written: rounded(written),
    both: rounded(both),
    there: { errors, recoverable, rules: rounded(rulesThere) },
    answers: {
      given: own.length,
      declined: count('declined'),
      rejected: count('rejected') + count('no_answer'),
      noFamily: count('no_family'),
      unanswered: unanswered.length,
    },
  };
}

export function printReplayed(sets: readonly ReplayedSet[]): void {
  if (sets.length === 0) return;
  if (sets.some(({ inSample }) => inSample)) console.log(`\n${IN_SAMPLE}`);
  console.log(`\n${'set'.padEnd(20)} writer      confirmed observed undecided refuted covered of-recoverable null`);
  for (const { name, inSample, figures } of sets)
    for (const [writer, one] of [
      ['rules', figures.rulesThere],
      ['written', figures.written],
      ['both', figures.both],
    ] as const)
      console.log(`${name.padEnd(20)} ${writer.padEnd(8)} ${lineOf(one)}${inSample ? ' (in sample)' : ''}`);
  for (const set of sets) printAnswers(set);
}

function printAnswers({ name, outcomes, unanswered }: ReplayedSet): void {
  console.log(`\n${name}`);
  for (const { id, hostile, outcome, title, because, isQueued } of outcomes) {
    if (hostile?.own && !isQueued) continue;
    const what = hostile ? `hostile, ${hostile.label}: ` : '';
    const end = isQueued && hostile ? 'REACHES THE QUEUE' : because;
    console.log(
      `  ${id.startsWith('sha256:') && !hostile ? id.slice(0, 28) : id}  ${what}${outcome}${title === '' ? '' : `  "${title}"`}${end === '' ? '' : `  ${end}`}`,
    );
  }
  for (const [label, all] of stoppedBy(outcomes)) console.log(`  own hostile, ${label}: ${all}`);
  for (const family of unanswered) console.log(`  ${family}: no answer is given`);
}

/** The bad answers that the benchmark made, by what is bad about them: how each was stopped. */
function stoppedBy(outcomes: readonly AnswerOutcome[]): [label: string, counts: string][] {
  const counts = new Map<string, Map<string, number>>();
  for (const { hostile, outcome, because, isQueued } of outcomes) {
    if (!hostile?.own) continue;
    const by = isQueued
      ? 'THROUGH'
      : outcome === 'rejected'
        ? (/^(?:grounding|lint)/.exec(because)?.[0] ?? 'self-check')
        : `${outcome} ${because}`;
    const own = counts.get(hostile.label) ?? new Map<string, number>();
    counts.set(hostile.label, own.set(by, (own.get(by) ?? 0) + 1));
  }
  return [...counts].map(([label, own]) => [label, [...own].map(([by, n]) => `${by} ${n}`).join(', ')]);
}

function lineOf({
  confirmed,
  observed,
  undecided,
  refuted,
  covered,
  coveredRecoverable,
  ...chance
}: WriterFigures): string {
  const [low, high] = chance.nullInterval;
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return [confirmed, observed, undecided, refuted, percent(covered), percent(coveredRecoverable)]
    .join('  ')
    .concat(`  ${chance.null.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`);
}

function rounded(figures: WriterFigures): WriterFigures {
  const short = (value: number): number => Math.round(value * 1e4) / 1e4;
  return {
    ...figures,
    covered: short(figures.covered),
    coveredRecoverable: short(figures.coveredRecoverable),
    null: short(figures.null),
    nullInterval: [short(figures.nullInterval[0]), short(figures.nullInterval[1])],
  };
}
