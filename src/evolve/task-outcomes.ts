import type { ExecutionObservations } from '../capture/observation.js';

/** One check of one task that several agents failed, and whether others passed it. */
export interface TaskProblem {
  /** Hash of the task's text and sources: which task it is, without showing its text. */
  origin: string;
  /** Name of the check; empty where only the task as a whole was judged. */
  check: string;
  failedBy: number;
  passedBy: number;
  executions: number;
  failures: number;
  /** `overcome` by as many agents as it takes for a pattern, `unsolved` by anybody, or `open` in between. */
  verdict: 'overcome' | 'open' | 'unsolved';
}

interface Tally {
  origin: string;
  check: string;
  failedBy: Set<string>;
  owners: Set<string>;
  passedBy: Set<string>;
  executions: number;
  failures: number;
}

/** Hostile reports can name checks without end: further ones, and further agents of one, are not recorded. */
const LIMITS = { tallies: 50_000, agents: 1_000 } as const;

/**
 * What somebody else than the agents checked, over the executions of one task (spec E1.4 where there are no calls to
 * compare). All of it is one task, so its origin counts once (spec E1.3) and it never becomes a proposal: it tells an
 * operator which tasks nobody solves, and which others did.
 */
export class TaskOutcomes {
  private readonly tallies = new Map<string, Tally>();

  add({ support, checks }: Pick<ExecutionObservations, 'support' | 'checks'>): void {
    for (const { name, ok } of checks) {
      const tally = this.tallyOf(support.origin, name);
      if (!tally) continue;
      tally.executions += 1;
      if (!ok) tally.failures += 1;
      const agents = ok ? tally.passedBy : tally.failedBy;
      if (agents.size < LIMITS.agents) agents.add(support.agentId);
      if (!ok && tally.owners.size < LIMITS.agents) tally.owners.add(support.owner);
    }
  }

  /** Those that enough agents failed, the most failures first. */
  problems({ minAgentsForPattern, minOwnersForPattern }: Thresholds): TaskProblem[] {
    return [...this.tallies.values()]
      .filter(({ failedBy, owners }) => failedBy.size >= minAgentsForPattern && owners.size >= minOwnersForPattern)
      .map(({ failedBy, passedBy, owners: _owners, ...rest }) => ({
        ...rest,
        failedBy: failedBy.size,
        passedBy: passedBy.size,
        verdict: verdictOf(passedBy.size, minAgentsForPattern),
      }))
      .sort((a, b) => b.failures - a.failures || compareText(keyOf(a.origin, a.check), keyOf(b.origin, b.check)));
  }

  private tallyOf(origin: string, check: string): Tally | undefined {
    const key = keyOf(origin, check);
    const known = this.tallies.get(key);
    if (known || this.tallies.size >= LIMITS.tallies) return known;
    const none = () => new Set<string>();
    const tally = { origin, check, failedBy: none(), owners: none(), passedBy: none(), executions: 0, failures: 0 };
    this.tallies.set(key, tally);
    return tally;
  }
}

interface Thresholds {
  minAgentsForPattern: number;
  minOwnersForPattern: number;
}

function verdictOf(passedBy: number, enough: number): TaskProblem['verdict'] {
  if (passedBy === 0) return 'unsolved';
  return passedBy >= enough ? 'overcome' : 'open';
}

const keyOf = (origin: string, check: string): string => JSON.stringify([origin, check]);

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
