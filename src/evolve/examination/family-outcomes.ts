import { WITHIN } from '../../learning/recoveries/case.js';
import { compareText } from '../../platform/base/compare-text.js';
import { type DossierSample, shownCallAt } from '../dossiers/dossier-builder.js';
import type { RecordedCall } from '../evidence/recorded-execution.js';
import { type FailureOutcome, OUTCOME_KINDS, type OutcomeKind } from '../support/failure-outcome.js';
import { FEWEST_PARTIES } from '../support/support-level.js';

/** What agents did to get past a failure. */
export interface Way {
  /** The steps, then the call that worked, as they may be shown. */
  readonly calls: readonly string[];
  /** Why it may not be advised; null if it may. */
  readonly because: string | null;
  readonly executions: number;
}

/** The ways with the number of executions, in one line. */
export const waysText = (ways: readonly Way[]): string =>
  ways
    .map(({ calls, because, executions }) => {
      const facts = [executions, ...(because === null ? [] : [because])].join(', ');
      return `${calls.map((call) => `\`${call}\``).join(', then ')} (${facts})`;
    })
    .join('; ');

/** What became of the failures of a family in the executions that were read. Outlives these. */
export interface FamilyOutcomes {
  /** The first repetition of the same call in each execution, with nothing in between. */
  readonly repeats: { readonly worked: number; readonly n: number };
  /** The parties for which it worked. */
  readonly repeaters: readonly string[];
  /** The calls of each execution from its first failure to the one that got past it, or as long as a try counts. */
  readonly lost: { readonly calls: number; readonly executions: number };
  /** The parties by what became of it in an execution of theirs. */
  readonly parties: Readonly<Record<OutcomeKind, readonly string[]>>;
  /** The number of executions by the same. */
  readonly runs: Readonly<Record<OutcomeKind, number>>;
  /** Those of the most executions first. */
  readonly ways: readonly Way[];
}

/** Why a family that executions got past has no lesson. */
export const WITHOUT_LESSON = [
  /** Overcome, in ways of which none is proven to help. */
  'no_proven_remedy',
  /** Only got past by something else than a skipped check that may not be advised. */
  'not_advisable',
  /** One agent got past it. */
  'too_few_agents',
  /** What was worked on was corrected, or the call was not needed. */
  'normal_work',
  /** Repeating the call is enough. */
  'passing',
  /** The error says what to do, and every execution did it at once. */
  'managed',
  /** A remedy worked for several agents, with too few tries to say more. */
  'waiting',
] as const;
/** `unsolved`: no execution got past it. */
export type FamilyStanding = (typeof WITHOUT_LESSON)[number] | 'only_skipped_a_check' | 'unsolved';

const byKind = <T>(of: (kind: OutcomeKind) => T): Record<OutcomeKind, T> => ({
  overcome: of('overcome'),
  repeated: of('repeated'),
  edited: of('edited'),
  skipped: of('skipped'),
  passed: of('passed'),
  left: of('left'),
  open: of('open'),
});

export const NO_OUTCOMES: FamilyOutcomes = {
  repeats: { worked: 0, n: 0 },
  repeaters: [],
  lost: { calls: 0, executions: 0 },
  parties: byKind(() => []),
  runs: byKind(() => 0),
  ways: [],
};

const MOST_WAYS = 5;
/** Repeating that works in half of at least three executions, for as many agents as did something else. */
const PASSES = { n: 3, rate: 0.5 } as const;

const isTransient = ({ repeats: { worked, n }, repeaters, parties }: FamilyOutcomes): boolean =>
  n >= PASSES.n && worked >= PASSES.rate * n && repeaters.length >= parties.overcome.length;

/** Reads the outcomes of a family from its sample. Pure; does not depend on the order of the executions. */
export function familyOutcomes(sample: DossierSample, isMember: (call: RecordedCall) => boolean): FamilyOutcomes {
  const all = sample.all.map((one): FamilyOutcomes => {
    const { party, calls } = one.run;
    const members = new Set(calls.filter(isMember).map(({ index }) => index));
    const failures = members.size === 0 ? [] : [...one.run.outcomes].filter(([at]) => members.has(at));
    const own = failures.map(([, outcome]) => outcome);
    const again = own[0]?.again;
    const best = own.sort((a, b) => OUTCOME_KINDS.indexOf(a.kind) - OUTCOME_KINDS.indexOf(b.kind))[0];
    const shown = best?.taken.map((at) => shownCallAt(sample, one, at)) ?? [];
    const isShown = shown.length > 0 && shown.every((call) => call !== undefined) && best?.kind !== 'repeated';
    return {
      repeats: again === undefined ? NO_OUTCOMES.repeats : { worked: Number(again), n: 1 },
      repeaters: again === true ? [party] : [],
      lost: lostIn(failures, calls.length),
      parties: { ...NO_OUTCOMES.parties, ...(best ? { [best.kind]: [party] } : {}) },
      runs: { ...NO_OUTCOMES.runs, ...(best ? { [best.kind]: 1 } : {}) },
      ways: isShown
        ? [{ calls: shown.flatMap((call) => call ?? []), because: best?.because ?? null, executions: 1 }]
        : [],
    };
  });
  return mergedOutcomes(all);
}

function lostIn(failures: readonly (readonly [number, FailureOutcome])[], calls: number): FamilyOutcomes['lost'] {
  const [first] = [...failures].sort(([a], [b]) => a - b);
  if (first === undefined) return NO_OUTCOMES.lost;
  const [at, { kind, taken }] = first;
  if (kind === 'left') return { calls: 1, executions: 1 };
  const end = taken.length > 0 ? Math.max(...taken) : Math.min(at + WITHIN, calls);
  return { calls: end - at, executions: 1 };
}

/** The outcomes of several parts of a family as one. */
export function mergedOutcomes(all: readonly FamilyOutcomes[]): FamilyOutcomes {
  const idsOf = (of: (one: FamilyOutcomes) => readonly string[]): string[] => [...new Set(all.flatMap(of))].sort();
  const partiesOf = (kind: OutcomeKind): string[] => idsOf(({ parties }) => parties[kind]);
  const ways = new Map<string, Way>();
  for (const way of all.flatMap((one) => one.ways)) {
    const key = JSON.stringify([way.calls, way.because]);
    ways.set(key, { ...way, executions: way.executions + (ways.get(key)?.executions ?? 0) });
  }
  const sum = (of: (one: FamilyOutcomes) => number): number => all.reduce((total, one) => total + of(one), 0);
  return {
    repeats: { worked: sum(({ repeats }) => repeats.worked), n: sum(({ repeats }) => repeats.n) },
    repeaters: idsOf(({ repeaters }) => repeaters),
    lost: { calls: sum(({ lost }) => lost.calls), executions: sum(({ lost }) => lost.executions) },
    parties: byKind(partiesOf),
    runs: byKind((kind) => sum(({ runs }) => runs[kind])),
    ways: [...ways]
      .sort(([a, one], [b, other]) => other.executions - one.executions || compareText(a, b))
      .map(([, way]) => way)
      .slice(0, MOST_WAYS),
  };
}

/** Classifies a family without a lesson by how its failures were got past. */
export function standingOf(outcomes: FamilyOutcomes): FamilyStanding {
  const { overcome, repeated, edited, skipped, passed, left } = outcomes.parties;
  const past = new Set([...overcome, ...repeated, ...edited, ...skipped, ...passed]).size;
  const { runs } = outcomes;
  const [work, calls] = [runs.edited + runs.left, runs.overcome + runs.repeated + runs.skipped + runs.passed];
  if (isTransient(outcomes)) return 'passing';
  const isOfSeveral = new Set([...edited, ...left]).size >= FEWEST_PARTIES;
  if (isOfSeveral && work > calls && work >= runs.open) return 'normal_work';
  if (past === 0) return 'unsolved';
  if (past < FEWEST_PARTIES) return 'too_few_agents';
  if (overcome.length + repeated.length > 0) return repeated.length > overcome.length ? 'passing' : 'no_proven_remedy';
  if (edited.length > Math.max(skipped.length, passed.length)) return 'normal_work';
  return skipped.length >= passed.length ? 'only_skipped_a_check' : 'not_advisable';
}
