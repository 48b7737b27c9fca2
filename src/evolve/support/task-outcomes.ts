import type { ExecutionObservations } from '../../capture/observations/observation.js';
import { compareText } from '../../platform/base/compare-text.js';
import { type CountRecord, type CountRecordOf, slices } from './count-records.schema.js';
import { incrementCount } from './pattern-evidence.js';
import type { SupportLevel } from './support.schema.js';

/** One check of a task that several agents failed, and whether others passed it. */
export interface TaskProblem {
  /** Hash of the task's text and sources, which identifies the task without showing its text. */
  origin: string;
  /** Name of the check; empty if only the task as a whole was checked. */
  check: string;
  failedBy: number;
  passedBy: number;
  executions: number;
  failures: number;
  /** `overcome`: passed by as many agents as a family needs. `unsolved`: passed by no agent. `open`: in between. */
  verdict: 'overcome' | 'open' | 'unsolved';
}

interface CheckTally {
  origin: string;
  check: string;
  /** The number of executions by agent. */
  failedBy: Map<string, number>;
  passedBy: Map<string, number>;
  executions: number;
  failures: number;
}

/** Hostile reports can name any number of checks. Further checks, and further agents of a check, are not recorded. */
const LIMITS = { tallies: 50_000, agents: 1_000 } as const;
const OWNERS_SAVED_TOGETHER = 1_000;

/**
 * Counts verifications over the executions of one task, for tasks without calls to compare. All of it is one task, so
 * its origin counts once and it never becomes a proposal. It shows an operator which tasks no agent solves, and which
 * some agents do.
 */
export class TaskOutcomes {
  private readonly tallies = new Map<string, CheckTally>();
  /** The latest owner of each agent. */
  private readonly ownerOf = new Map<string, string>();

  /** `times`: 1, or -1 to take an execution back that left the window. */
  add({ support, checks }: Pick<ExecutionObservations, 'support' | 'checks'>, times: 1 | -1 = 1): void {
    if (checks.length > 0 && times > 0) this.ownerOf.set(support.agentId, support.owner);
    for (const { name, ok } of checks) {
      const tally = this.tallyOf(support.origin, name, times);
      if (!tally) continue;
      tally.executions += times;
      if (!ok) tally.failures += times;
      const agents = ok ? tally.passedBy : tally.failedBy;
      if (agents.has(support.agentId) || (times > 0 && agents.size < LIMITS.agents))
        incrementCount(agents, support.agentId, times);
      if (tally.executions <= 0) this.tallies.delete(keyOf(support.origin, name));
    }
  }

  setOwner(agentId: string, owner: string): void {
    if (this.ownerOf.has(agentId)) this.ownerOf.set(agentId, owner);
  }

  *records(): Generator<CountRecord> {
    const agents = new Set<string>();
    for (const { failedBy, passedBy, ...rest } of this.tallies.values()) {
      for (const id of [...failedBy.keys(), ...passedBy.keys()]) agents.add(id);
      yield { of: 'task', ...rest, failedBy: [...failedBy], passedBy: [...passedBy] };
    }
    const owners = [...this.ownerOf].filter(([agent]) => agents.has(agent));
    for (const slice of slices(owners, OWNERS_SAVED_TOGETHER)) yield { of: 'owners', owners: slice };
  }

  /** Adds what {@link records} gave. */
  restoreTask({ of: _of, failedBy, passedBy, ...rest }: CountRecordOf<'task'>): void {
    const tally = { ...rest, failedBy: new Map(failedBy), passedBy: new Map(passedBy) };
    this.tallies.set(keyOf(rest.origin, rest.check), tally);
  }

  restoreOwners({ owners }: CountRecordOf<'owners'>): void {
    for (const [agent, owner] of owners) this.ownerOf.set(agent, owner);
  }

  /** Returns the checks that enough agents failed, the most failures first. */
  problems({ unit, needed }: SupportLevel, owners: number): TaskProblem[] {
    // All executions of one task are one support in any unit.
    const agents = unit === 'agents' ? needed : 1;
    return [...this.tallies.values()]
      .filter(({ failedBy }) => failedBy.size >= agents && this.owners(failedBy) >= owners)
      .map(({ failedBy, passedBy, ...rest }) => ({
        ...rest,
        failedBy: failedBy.size,
        passedBy: passedBy.size,
        verdict: taskVerdict(passedBy.size, agents),
      }))
      .sort((a, b) => b.failures - a.failures || compareText(keyOf(a.origin, a.check), keyOf(b.origin, b.check)));
  }

  private owners(agents: ReadonlyMap<string, number>): number {
    return new Set([...agents.keys()].map((agent) => this.ownerOf.get(agent))).size;
  }

  private tallyOf(origin: string, check: string, times: 1 | -1): CheckTally | undefined {
    const key = keyOf(origin, check);
    const known = this.tallies.get(key);
    if (known || times < 0 || this.tallies.size >= LIMITS.tallies) return known;
    const none = () => new Map<string, number>();
    const tally = { origin, check, failedBy: none(), passedBy: none(), executions: 0, failures: 0 };
    this.tallies.set(key, tally);
    return tally;
  }
}

function taskVerdict(passedBy: number, enough: number): TaskProblem['verdict'] {
  if (passedBy === 0) return 'unsolved';
  return passedBy >= enough ? 'overcome' : 'open';
}

const keyOf = (origin: string, check: string): string => JSON.stringify([origin, check]);
