import { compareText } from '../../platform/base/compare-text.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { type CountRecordOf, type SavedNumbers, slices } from './count-records.schema.js';
import { Counts } from './counts.js';
import { independentOwners, independentSupport, type SupportCounts } from './distinct-agents.js';
import { type Columns, Ledger } from './ledger.js';
import type { SupportLevel, SupportUnit } from './support.schema.js';

/** The counts that a family keeps of its executions. It keeps no call, text or report. */
export interface EvidenceCounts extends SupportCounts {
  executions: number;
  failures: number;
  /** Different labels of projects; executions without one are one project. */
  projects: number;
  /** Days (UTC) on which its executions ended. */
  days: number;
  /** ISO 8601. */
  firstSeen: string;
  lastSeen: string;
  /** The agents with the most failures first, at most 50. */
  seenBy: AgentShare[];
  /** The models of the executions, if reported; at most 50, sorted. */
  models: string[];
}

/** The part of one agent in the evidence, for the reviewer. */
interface AgentShare {
  name: string;
  /** Null if none is stated. */
  owner: string | null;
  executions: number;
  failures: number;
}

/** The part of one execution in the evidence. */
interface ExecutionShare {
  /** Number in the ledger. */
  execution: number;
  model?: string | undefined;
  failures: number;
}

/** The number of executions that are sampled for disjoint agents before all are counted. */
const SAMPLED_EXECUTIONS = 1_000;
/** Limits of what one family can hold, for any report: further names are not recorded. */
const LIMITS = { seenBy: 50, models: 50 } as const;

/**
 * The evidence of one family, or of some of its failures. Executions come and go as the window slides, so that every
 * count can be taken back. It holds a number for each execution and counts by agent, but no text of a report.
 */
export class PatternEvidence {
  private readonly models = new Map<string, number>();
  /** Failed calls. */
  failures = 0;
  private cachedCounts: EvidenceCounts | undefined;

  /** `executionIds`: numbers in the ledger. */
  constructor(
    private readonly ledger = new Ledger(),
    readonly executionIds = new Counts(),
    private readonly failuresOf = new Counts(),
  ) {}

  /**
   * Returns the combined evidence of families that become one lesson, or of groups that are one family. Changing it
   * changes none of them.
   */
  static merge(parts: readonly PatternEvidence[]): PatternEvidence {
    const [executionIds, failuresOf] = [parts.map((one) => one.executionIds), parts.map((one) => one.failuresOf)];
    const whole = new PatternEvidence(parts[0]?.ledger, Counts.sum(executionIds), Counts.sum(failuresOf));
    for (const part of parts) {
      whole.failures += part.failures;
      for (const [model, executions] of part.models) incrementCount(whole.models, model, executions);
    }
    return whole;
  }

  addExecution({ execution, model, failures }: ExecutionShare): void {
    this.cachedCounts = undefined;
    this.failures += failures;
    this.executionIds.set(execution, 1);
    this.failuresOf.increment(this.ledger.agentAt(execution), failures);
    if (model !== undefined) incrementCount(this.models, model, 1);
  }

  /** Takes back what {@link addExecution} added. The execution must still be in the ledger. */
  removeExecution({ execution, model, failures }: ExecutionShare): void {
    this.cachedCounts = undefined;
    this.failures -= failures;
    this.executionIds.set(execution, 0);
    this.failuresOf.increment(this.ledger.agentAt(execution), -failures);
    if (model !== undefined) incrementCount(this.models, model, -1);
  }

  /** Its executions, and its failures by agent. */
  *records(numbers: SavedNumbers): Generator<CountRecordOf<'evidence'>> {
    const executions = [...this.executionIds.numbers()].map((one) => numbers.execution(one)).sort((a, b) => a - b);
    for (const slice of slices(executions)) yield { of: 'evidence', executions: slice, failures: [] };
    const failures = [...this.failuresOf.numbers()].map((agent): [number, number] => [
      numbers.agent(agent),
      this.failuresOf.get(agent),
    ]);
    failures.sort((a, b) => a[0] - b[0]);
    for (const slice of slices(failures)) yield { of: 'evidence', executions: [], failures: slice };
  }

  /** What {@link records} leaves out. */
  totals(): Pick<CountRecordOf<'group'>, 'failures' | 'models'> {
    return { failures: this.failures, models: [...this.models] };
  }

  restoreTotals({ failures, models }: Pick<CountRecordOf<'group'>, 'failures' | 'models'>): void {
    this.failures = failures;
    for (const [model, executions] of models) this.models.set(model, executions);
  }

  /** Adds what {@link records} gave. */
  restore({ executions, failures }: CountRecordOf<'evidence'>): void {
    this.ledger.requireExecutions(executions);
    for (const execution of executions) this.executionIds.set(execution, 1);
    for (const [agent, count] of failures) this.failuresOf.set(agent, count);
  }

  get agents(): number {
    return this.failuresOf.size;
  }

  /** Discards the cached counts after the root, name or owner of an execution has changed. */
  invalidate(): void {
    this.cachedCounts = undefined;
  }

  /** Returns whether the evidence has as much independent support, and so many owners on independent tasks. */
  isSupported({ unit, needed }: SupportLevel, owners: number): boolean {
    if ((unit === 'agents' ? this.agents : this.executionIds.size) < Math.max(needed, 1)) return false;
    const isIndependent = owners < 2 || this.counts().independentOwners >= owners;
    return isIndependent && (this.hasDisjointAgents(needed) || this.support(unit) >= needed);
  }

  /** How many units support it independently: a unit, a task and a parent task with its sub-agents count once each. */
  support(unit: SupportUnit): number {
    if (unit === 'agents') return this.counts().distinctAgents;
    const rows = this.ledger.rowsOf(this.executionIds.numbers(), this.executionIds.size);
    return independentSupport({ ...rows, agent: unitOf(unit, rows) }).distinctAgents;
  }

  /** The ids of its executions that ended last, at most so many. */
  newest(most: number): string[] {
    const numbers = [...this.executionIds.numbers()];
    const { finishedAt } = this.ledger.rowsOf(numbers, numbers.length);
    return numbers
      .map((number, row) => ({ id: this.ledger.executionId(number), at: finishedAt[row] ?? 0 }))
      .sort((a, b) => b.at - a.at || compareText(a.id, b.id))
      .slice(0, most)
      .map(({ id }) => id);
  }

  counts(): EvidenceCounts {
    this.cachedCounts ??= this.count();
    return this.cachedCounts;
  }

  /** Looks for executions that share neither agent, origin nor root: there are at least as many distinct agents. */
  private hasDisjointAgents(wanted: number): boolean {
    const { agent, origin, root } = this.ledger.rowsOf(this.executionIds.numbers(), SAMPLED_EXECUTIONS);
    const used = [new Set<number>(), new Set<number>(), new Set<number>()] as const;
    for (let row = 0; row < agent.length; row += 1) {
      const [agentNumber, originNumber, rootNumber] = [agent[row] ?? 0, origin[row] ?? 0, root[row] ?? 0];
      if (used[0].has(agentNumber) || used[1].has(originNumber) || used[2].has(rootNumber)) continue;
      used[0].add(agentNumber);
      used[1].add(originNumber);
      used[2].add(rootNumber);
      if (used[0].size >= wanted) return true;
    }
    return false;
  }

  private count(): EvidenceCounts {
    const executions = this.ledger.rowsOf(this.executionIds.numbers(), this.executionIds.size);
    const [first, last] = timeRange(executions.finishedAt);
    return {
      ...independentSupport(executions),
      tasks: new Set(executions.origin).size,
      independentOwners: independentOwners(this.ledger.ownersOf(executions.agent), executions.origin),
      owners: this.ledger.countOwners(this.failuresOf.numbers()),
      executions: executions.agent.length,
      failures: this.failures,
      projects: new Set(executions.project).size,
      days: new Set(executions.finishedAt.map((at) => Math.floor(at / DAY_MS))).size,
      firstSeen: toIsoInstant(first),
      lastSeen: toIsoInstant(last),
      seenBy: this.seenBy(executions.agent),
      models: [...this.models.keys()].sort().slice(0, LIMITS.models),
    };
  }

  /** `agents`: the agent of each execution. */
  private seenBy(agents: Int32Array): AgentShare[] {
    const most = this.mostFailures();
    const executionsOf = this.ledger.occurrences(agents);
    return most.map(({ agent, failures }) => {
      const { id, name, owner } = this.ledger.agent(agent);
      // An agent without a stated owner counts as an owner.
      return { name, owner: owner === id ? null : owner, executions: executionsOf[agent] ?? 0, failures };
    });
  }

  /** Returns the agents with the most failures, without sorting all of them. */
  private mostFailures(): AgentFailures[] {
    const most: AgentFailures[] = [];
    for (const agent of this.failuresOf.numbers()) {
      const one = { agent, name: this.ledger.agent(agent).name, failures: this.failuresOf.get(agent) };
      if (most.length === LIMITS.seenBy && !hasMoreFailures(one, most[most.length - 1])) continue;
      const at = most.findIndex((known) => hasMoreFailures(one, known));
      most.splice(at < 0 ? most.length : at, 0, one);
      most.length = Math.min(most.length, LIMITS.seenBy);
    }
    return most;
  }
}

/** By execution: the number of its unit. */
function unitOf(unit: 'projects' | 'sessions', { agent, project }: Columns): Int32Array {
  if (unit === 'sessions') return agent.map((_, row) => row);
  const pairs = new Map<string, number>();
  return agent.map((one, row) => {
    const pair = `${one} ${project[row]}`;
    const number = pairs.get(pair) ?? pairs.size;
    pairs.set(pair, number);
    return number;
  });
}

type AgentFailures = { agent: number; name: string; failures: number };

function hasMoreFailures(a: AgentFailures, b: AgentFailures | undefined): boolean {
  return b === undefined || a.failures > b.failures || (a.failures === b.failures && compareText(a.name, b.name) < 0);
}

function timeRange(times: Float64Array): [number, number] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const time of times) {
    if (time < first) first = time;
    if (time > last) last = time;
  }
  return [first, last];
}

/** Changes a count; removes it when it falls to 0. */
export function incrementCount<K>(counts: Map<K, number>, key: K, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}

/** Returns the usual form of reports, without milliseconds if they are 0. */
const toIsoInstant = (at: number): string =>
  Number.isFinite(at) ? new Date(at).toISOString().replace('.000Z', 'Z') : '';

/** Calls that a number of executions lost to a failure. */
export interface LostCalls {
  readonly calls: number;
  readonly executions: number;
}

/** The mean of each execution. */
export const meanLost = ({ calls, executions }: LostCalls): number => (executions === 0 ? 0 : calls / executions);

/**
 * Returns the calls lost to a failure in the window times distinct agents, which orders the queue. Where the executions
 * were not read, each failure is one lost call.
 */
export function impactOf({ failures, executions, distinctAgents }: EvidenceCounts, lost: LostCalls): number {
  const calls = lost.executions === 0 ? failures : meanLost(lost) * executions;
  return Math.round(calls * distinctAgents);
}
