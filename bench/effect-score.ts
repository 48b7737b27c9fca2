import type { EffectVerdict } from '../src/effect/effect.js';
import { type Method, type MethodVerdict, type SimulationParameters, simulateFleet } from './effect-fleet.js';

/** Results of one method over many fleets, as shares of the fleets. */
export interface Score {
  readonly atEnd: Readonly<Record<EffectVerdict, number>>;
  readonly atAnyLook: Readonly<Record<EffectVerdict, number>>;
  /** Share with a verdict that contradicts the planted effect at any look. The level bounds it. */
  readonly wrong: number;
  /** Share whose interval missed the planted effect at any look. The level bounds it. */
  readonly missed: number;
  /**
   * First look, counted from 1, with the right verdict, among the fleets that had one; null if no fleet had one or the
   * effect is zero.
   */
  readonly looksToVerdict: { readonly median: number; readonly p90: number } | null;
}

const VERDICTS = ['helps', 'no-difference-yet', 'harms', 'not-enough-data'] as const;
export const METHODS = ['guildbook', 'pooled', 'naive'] as const;

/** Simulates fleets with the seeds `from` … `from + seeds - 1`. */
export function scoreMethods(world: SimulationParameters, seeds: number, from = 1): Record<Method, Score> {
  const fleets = Array.from({ length: seeds }, (_, index) => simulateFleet(world, from + index));
  const score = (method: Method): Score =>
    scoreOf(
      fleets.map((looks) => looks.map((look) => look[method])),
      world.effect,
    );
  return { guildbook: score('guildbook'), pooled: score('pooled'), naive: score('naive') };
}

function scoreOf(fleets: readonly (readonly MethodVerdict[])[], effect: number): Score {
  const share = (holds: (looks: readonly MethodVerdict[]) => boolean): number =>
    fleets.filter(holds).length / fleets.length;
  const right = rightVerdict(effect);
  const wrong = (verdict: EffectVerdict): boolean => (verdict === 'helps' || verdict === 'harms') && verdict !== right;
  const first = fleets
    .map((looks) => looks.findIndex(({ verdict }) => verdict === right) + 1)
    .filter((look) => look > 0)
    .sort((a, b) => a - b);
  return {
    atEnd: perVerdict((verdict) => share((looks) => looks.at(-1)?.verdict === verdict)),
    atAnyLook: perVerdict((verdict) => share((looks) => looks.some((look) => look.verdict === verdict))),
    wrong: share((looks) => looks.some(({ verdict }) => wrong(verdict))),
    missed: share((looks) => looks.some(({ interval }) => interval !== null && !within(effect, interval))),
    looksToVerdict: right === undefined ? null : spread(first),
  };
}

function rightVerdict(effect: number): EffectVerdict | undefined {
  if (effect === 0) return undefined;
  return effect > 0 ? 'helps' : 'harms';
}

function perVerdict(share: (verdict: EffectVerdict) => number): Record<EffectVerdict, number> {
  const [helps, none, harms, little] = VERDICTS.map(share);
  return {
    helps: helps ?? 0,
    'no-difference-yet': none ?? 0,
    harms: harms ?? 0,
    'not-enough-data': little ?? 0,
  };
}

function spread(sorted: readonly number[]): Score['looksToVerdict'] {
  const [median, p90] = [0.5, 0.9].map((share) => sorted[Math.ceil(share * sorted.length) - 1]);
  return median === undefined || p90 === undefined ? null : { median, p90 };
}

function within(effect: number, [low, high]: readonly [number, number]): boolean {
  return low <= effect && effect <= high;
}
