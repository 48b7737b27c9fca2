import type { TrialCount } from '../evidence/pattern-evidence.js';
import { type Proportion, wilson } from '../statistics/wilson.js';

/** How many owners a remedy needs, and the owner of an agent. */
export interface OwnerRule {
  readonly minOwners: number;
  readonly ownerOf: (agent: number) => string;
}

export const ANY_OWNERS: OwnerRule = { minOwners: 1, ownerOf: () => '' };

/** An owner counts at least with this many tries: as many as a remedy needs. */
const LEAST_TRIES = 3;

/**
 * Returns whether the remedy worked for agents of enough owners. Otherwise one owner could teach a remedy of their own
 * for a failure that others have.
 */
export function hasOwners(trials: readonly TrialCount[], { minOwners, ownerOf }: OwnerRule): boolean {
  if (minOwners < 2) return true;
  const owners = new Set<string>();
  for (const { successAgents } of trials)
    for (const agent of successAgents.numbers()) {
      owners.add(ownerOf(agent));
      if (owners.size >= minOwners) return true;
    }
  return false;
}

/**
 * Returns the tries of the remedy and of repeating, in which no owner counts more than all others together; undefined
 * if that is so already. One person's thousand reports then say no more than the ten of everybody else.
 */
export function balancedTries(
  chosen: readonly TrialCount[],
  repeat: readonly TrialCount[],
  rule: OwnerRule,
): { chosen: Proportion; repeat: Proportion } | undefined {
  const [ofRemedy, ofRepeat] = [balanced(chosen, rule), balanced(repeat, rule)];
  if (!ofRemedy.isCut && !ofRepeat.isCut) return undefined;
  return { chosen: ofRemedy.outcome, repeat: ofRepeat.outcome };
}

interface OwnTries {
  tries: number;
  successes: number;
}

function balanced(trials: readonly TrialCount[], { ownerOf }: OwnerRule): { outcome: Proportion; isCut: boolean } {
  const byOwner = new Map<string, OwnTries>();
  const ofAgent = (agent: number): OwnTries => {
    const own = byOwner.get(ownerOf(agent)) ?? { tries: 0, successes: 0 };
    byOwner.set(ownerOf(agent), own);
    return own;
  };
  for (const { agents, successAgents } of trials) {
    for (const agent of agents.numbers()) ofAgent(agent).tries += agents.get(agent);
    for (const agent of successAgents.numbers()) ofAgent(agent).successes += successAgents.get(agent);
  }
  const all = [...byOwner.values()].sort((a, b) => b.tries - a.tries || b.successes - a.successes);
  const [largest, ...others] = all;
  const sum = (of: keyof OwnTries): number => others.reduce((total, own) => total + own[of], 0);
  if (!largest || others.length === 0)
    return { outcome: wilson(largest?.successes ?? 0, largest?.tries ?? 0), isCut: false };
  const cap = Math.min(largest.tries, Math.max(LEAST_TRIES, sum('tries')));
  const successes = Math.round((largest.successes * cap) / largest.tries);
  return { outcome: wilson(successes + sum('successes'), cap + sum('tries')), isCut: cap < largest.tries };
}
