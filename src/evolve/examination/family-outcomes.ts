import { WITHIN } from '../../learning/recoveries/case.js';
import { compareText } from '../../platform/base/compare-text.js';
import { type DossierSample, shownCallAt } from '../dossiers/dossier-builder.js';
import type { RecordedCall } from '../evidence/recorded-execution.js';
import type { FailureOutcome } from '../support/failure-outcome.js';

/** How an execution got past a failure, best first. */
const PAST = ['overcome', 'repeated', 'skipped', 'passed'] as const;
type Past = (typeof PAST)[number];

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
  /** The calls of each execution from its first failure to the one that got past it, or as long as a try counts. */
  readonly lost: { readonly calls: number; readonly executions: number };
  /** The ids of the agents that got past it, by how. */
  readonly agents: Readonly<Record<Past, readonly string[]>>;
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
] as const;
/** `unsolved`: no execution got past it. `passing`: repeating the call is enough. */
export type FamilyStanding = (typeof WITHOUT_LESSON)[number] | 'only_skipped_a_check' | 'passing' | 'unsolved';

export const NO_OUTCOMES: FamilyOutcomes = {
  repeats: { worked: 0, n: 0 },
  lost: { calls: 0, executions: 0 },
  agents: { overcome: [], repeated: [], skipped: [], passed: [] },
  ways: [],
};

/** Two agents must have got past a failure before their way says something. */
const FEWEST_AGENTS = 2;
const MOST_WAYS = 5;
/** Repeating that works in half of at least three executions: nothing to learn. */
const PASSES = { n: 3, rate: 0.5 } as const;

export const isTransient = ({ repeats: { worked, n } }: Pick<FamilyOutcomes, 'repeats'>): boolean =>
  n >= PASSES.n && worked >= PASSES.rate * n;

/** Reads the outcomes of a family from its sample. Pure; does not depend on the order of the executions. */
export function familyOutcomes(sample: DossierSample, isMember: (call: RecordedCall) => boolean): FamilyOutcomes {
  const all = sample.all.map((one): FamilyOutcomes => {
    const { agentId, calls, outcomes } = one.run;
    const failures = [...outcomes].filter(([at]) => calls[at] !== undefined && isMember(calls[at]));
    const own = failures.map(([, outcome]) => outcome);
    const again = own[0]?.again;
    const best = own.filter(isPast).sort((a, b) => PAST.indexOf(a.kind) - PAST.indexOf(b.kind))[0];
    const shown = best?.taken.map((at) => shownCallAt(sample, one, at));
    const isShown = shown?.every((call) => call !== undefined) && best?.kind !== 'repeated';
    return {
      repeats: again === undefined ? NO_OUTCOMES.repeats : { worked: Number(again), n: 1 },
      lost: lostIn(failures, calls.length),
      agents: { ...NO_OUTCOMES.agents, ...(best ? { [best.kind]: [agentId] } : {}) },
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
  const [at, { taken }] = first;
  const end = taken.length > 0 ? Math.max(...taken) : Math.min(at + WITHIN, calls);
  return { calls: end - at, executions: 1 };
}

const isPast = (one: FailureOutcome): one is FailureOutcome & { readonly kind: Past } => one.kind !== 'open';

/** The outcomes of several parts of a family as one. */
export function mergedOutcomes(all: readonly FamilyOutcomes[]): FamilyOutcomes {
  const agentsOf = (kind: Past): string[] => [...new Set(all.flatMap(({ agents }) => agents[kind]))].sort();
  const ways = new Map<string, Way>();
  for (const way of all.flatMap((one) => one.ways)) {
    const key = JSON.stringify([way.calls, way.because]);
    ways.set(key, { ...way, executions: way.executions + (ways.get(key)?.executions ?? 0) });
  }
  const sum = (of: (one: FamilyOutcomes) => number): number => all.reduce((total, one) => total + of(one), 0);
  return {
    repeats: { worked: sum(({ repeats }) => repeats.worked), n: sum(({ repeats }) => repeats.n) },
    lost: { calls: sum(({ lost }) => lost.calls), executions: sum(({ lost }) => lost.executions) },
    agents: {
      overcome: agentsOf('overcome'),
      repeated: agentsOf('repeated'),
      skipped: agentsOf('skipped'),
      passed: agentsOf('passed'),
    },
    ways: [...ways]
      .sort(([a, one], [b, other]) => other.executions - one.executions || compareText(a, b))
      .map(([, way]) => way)
      .slice(0, MOST_WAYS),
  };
}

/** Classifies a family without a lesson by how its failures were got past. */
export function standingOf(outcomes: FamilyOutcomes): FamilyStanding {
  const { overcome, repeated, skipped, passed } = outcomes.agents;
  const past = new Set([...overcome, ...repeated, ...skipped, ...passed]).size;
  if (past === 0) return 'unsolved';
  if (isTransient(outcomes)) return 'passing';
  if (past < FEWEST_AGENTS) return 'too_few_agents';
  if (overcome.length + repeated.length > 0) return repeated.length > overcome.length ? 'passing' : 'no_proven_remedy';
  return skipped.length >= passed.length ? 'only_skipped_a_check' : 'not_advisable';
}
