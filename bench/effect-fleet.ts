import { type AgentTally, type EffectVerdict, effectOf } from '../src/effect/effect.js';
import { SeededRandom } from './seeded-random.js';

/** The ramp: the percentage of agents that have the skill, and the number of looks at this stage. */
export const RAMP = [
  { percent: 5, looks: 8 },
  { percent: 25, looks: 8 },
  { percent: 100, looks: 2 },
] as const;
export const LOOKS = RAMP.reduce((total, { looks }) => total + looks, 0);

/** Median executions of an agent between two looks. */
const EXECUTIONS_PER_LOOK = 1.5;

export interface SimulationParameters {
  readonly agents: number;
  /** Mean failure rate without the skill. */
  readonly baseRate: number;
  /** Failure rate without the skill minus with it: 0.15 is a skill that prevents 15 failures in 100 executions. */
  readonly effect: number;
  /** Factor on every failure rate at the last look, with or without the skill: 1 is no change over time. */
  readonly drift: number;
  /**
   * How much agents differ. `concentration` is that of the beta distribution of their failure rates: 9 is a standard
   * deviation of 0.15, 5 one of 0.19. `inequality` is that of their log-normal executions: one agent in six has
   * e^inequality times the median.
   */
  readonly concentration: number;
  readonly inequality: number;
}

export const BASELINE = { baseRate: 0.35, drift: 1, concentration: 9, inequality: 0.7 };
export const HETEROGENEOUS = { ...BASELINE, concentration: 5, inequality: 1 };
/** Most agents never have the failure, some have it nearly always. */
export const BIMODAL = { ...HETEROGENEOUS, baseRate: 0.15, concentration: 0.3 };
export const RARE_FAILURE = { ...BASELINE, baseRate: 0.04 };

export type Method = 'guildbook' | 'pooled' | 'naive';
export interface MethodVerdict {
  readonly verdict: EffectVerdict;
  readonly interval: readonly [number, number] | null;
}

interface Agent {
  readonly name: string;
  readonly rate: number;
  readonly busy: number;
  /** 0–99, like a hash of the agent and the skill. */
  readonly bucket: number;
}

/** The verdict of each method at each look at one fleet. */
export function simulateFleet(world: SimulationParameters, seed: number): Record<Method, MethodVerdict>[] {
  const random = new SeededRandom(seed);
  const agents = Array.from({ length: world.agents }, (_, index) => newAgent(random, world, String(index)));
  const tallies = new Map<string, { -readonly [K in keyof AgentTally]: AgentTally[K] }>();
  const opinions: Record<Method, MethodVerdict>[] = [];
  for (const { percent, looks } of RAMP) {
    for (let look = 0; look < looks; look += 1) {
      const change = 1 - (1 - world.drift) * (opinions.length / (LOOKS - 1));
      for (const agent of agents) {
        const withSkill = agent.bucket < percent;
        const executions = random.poisson(agent.busy);
        const failures = random.binomial(
          executions,
          change * (withSkill ? treatedRate(agent.rate, world) : agent.rate),
        );
        const key = `${percent} ${agent.name}`;
        const tally = tallies.get(key);
        if (tally === undefined)
          tallies.set(key, { agent: agent.name, withSkill, stage: `${percent}`, executions, failures });
        else {
          tally.executions += executions;
          tally.failures += failures;
        }
      }
      opinions.push(verdictsOf([...tallies.values()]));
    }
  }
  return opinions;
}

function newAgent(
  random: SeededRandom,
  { baseRate, concentration, inequality }: SimulationParameters,
  name: string,
): Agent {
  return {
    name,
    rate: random.beta(baseRate * concentration, (1 - baseRate) * concentration),
    busy: EXECUTIONS_PER_LOOK * Math.exp(inequality * random.normal()),
    bucket: Math.floor(random.uniform() * 100),
  };
}

/** Chosen so that the mean over agents moves by exactly the effect and no rate leaves [0, 1]. */
function treatedRate(rate: number, { effect, baseRate }: SimulationParameters): number {
  if (effect >= 0) return (rate * (baseRate - effect)) / baseRate;
  return 1 - ((1 - rate) * (1 - baseRate + effect)) / (1 - baseRate);
}

function verdictsOf(tallies: readonly AgentTally[]): Record<Method, MethodVerdict> {
  return {
    guildbook: effectOf(tallies),
    pooled: effectOf(tallies.map(({ stage: _, ...tally }) => tally)),
    naive: naive(tallies),
  };
}

/** The textbook two-proportion z-test: every execution independent, one look, 95 %. */
function naive(tallies: readonly AgentTally[]): MethodVerdict {
  const [control, skill] = [false, true].map((withSkill) => {
    const own = tallies.filter((tally) => tally.withSkill === withSkill);
    const executions = own.reduce((total, tally) => total + tally.executions, 0);
    return { executions, rate: own.reduce((total, tally) => total + tally.failures, 0) / executions };
  });
  if (control === undefined || skill === undefined) return { verdict: 'not-enough-data', interval: null };
  if (Math.min(control.executions, skill.executions) < 30) return { verdict: 'not-enough-data', interval: null };
  const half =
    1.96 * Math.sqrt([control, skill].reduce((sum, arm) => sum + (arm.rate * (1 - arm.rate)) / arm.executions, 0));
  const difference = control.rate - skill.rate;
  const interval = [difference - half, difference + half] as const;
  if (interval[0] > 0) return { verdict: 'helps', interval };
  return { verdict: interval[1] < 0 ? 'harms' : 'no-difference-yet', interval };
}
