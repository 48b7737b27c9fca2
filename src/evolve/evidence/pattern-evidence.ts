import type { Trial } from '../../capture/observations/observation.js';
import type { ApproachKind } from '../../capture/observations/trial.js';
import { Counts } from './counts.js';
import { countDangers, type DangerCounts, sumDangers } from './danger-counts.js';
import { independentOrigins, independentSupport, type SupportCounts } from './distinct-agents.js';
import { Ledger } from './ledger.js';

/** Counts by the ledger's number of the agent. */
export type CountsByAgent = Counts;

/** An approach that was tried against a failure, counted over executions. Contrasts are computed from these. */
export interface TrialCount {
  how: ApproachKind;
  coarse: string;
  fine: string;
  /** The steps between the failure and the same action again. */
  after?: string;
  /** The steps right before the failure. */
  before?: string;
  /** It only skipped a check. */
  skipsCheck?: true;
  /** It worked with a flag or a variable that the failed call did not have. */
  addsFlag?: true;
  tries: number;
  successes: number;
  /** Successes in executions with a successful verification. */
  verified: number;
  agents: CountsByAgent;
  successAgents: CountsByAgent;
  /** The dangerous forms of successful tries; missing if there are none. */
  dangers?: DangerCounts;
}

/** The counts that a pattern keeps of its executions. It keeps no call, text or report. */
export interface EvidenceCounts extends SupportCounts {
  executions: number;
  failures: number;
  /** ISO 8601. */
  firstSeen: string;
  lastSeen: string;
  /** The agents with the most failures first, at most 50. */
  seenBy: AgentShare[];
  /** The models of the executions, if reported; at most 50, sorted. */
  models: string[];
}

/** The part of one agent in the evidence, for the reviewer. */
export interface AgentShare {
  name: string;
  owner: string;
  executions: number;
  failures: number;
}

/** The part of one execution in the evidence. */
export interface ExecutionShare {
  /** Number in the ledger. */
  execution: number;
  model?: string | undefined;
  failures: number;
}

/** A flag, or the name of a variable. */
const FLAG = /^(?:-|[A-Z_][A-Z0-9_]{0,60}$)/;
/** The number of executions that are sampled for disjoint agents before all are counted. */
const SAMPLED_EXECUTIONS = 1_000;
/** Limits of what one pattern can hold, for any report: further approaches and names are not recorded. */
const LIMITS = { trials: 300, windows: 200, seenBy: 50, models: 50 } as const;

/**
 * The evidence of one pattern. Executions come and go as the window slides, so that every count can be taken back. It
 * holds a number for each execution and counts by agent, but no text of a report.
 */
export class PatternEvidence {
  readonly trials = new Map<string, TrialCount>();
  readonly windows = new Map<string, number>();
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

  /** Returns the combined evidence of patterns that become one lesson. Changing it changes none of them. */
  static merge(parts: readonly PatternEvidence[]): PatternEvidence {
    const [executionIds, failuresOf] = [parts.map((one) => one.executionIds), parts.map((one) => one.failuresOf)];
    const whole = new PatternEvidence(parts[0]?.ledger, Counts.sum(executionIds), Counts.sum(failuresOf));
    const trials = new Map<string, TrialCount[]>();
    for (const part of parts) {
      whole.failures += part.failures;
      for (const [model, executions] of part.models) incrementCount(whole.models, model, executions);
      for (const [window, times] of part.windows) incrementCount(whole.windows, window, times);
      for (const [key, trial] of part.trials) {
        const known = trials.get(key);
        if (known) known.push(trial);
        else trials.set(key, [trial]);
      }
    }
    for (const [key, [first, ...more]] of trials)
      if (first) whole.trials.set(key, more.length === 0 ? { ...first } : mergeTrials(first, [first, ...more]));
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

  /** `times`: 1, or -1 to take the trial back. */
  addTrial(
    trial: Pick<TrialCount, 'how' | 'coarse' | 'fine' | 'after' | 'before' | 'skipsCheck'> &
      Pick<Trial, 'worked' | 'dangers' | 'change'>,
    agent: number,
    verified: boolean,
    times: 1 | -1 = 1,
  ): void {
    const { how, coarse, fine, after } = trial;
    // The lengths separate the parts, which is faster than JSON.
    const addsFlag = trial.change?.some(({ slot, kind }) => kind === 'added' && FLAG.test(slot));
    const skip = `${trial.skipsCheck ? 'skip ' : ''}${addsFlag ? 'adds ' : ''}`;
    const plain = `${skip}${how} ${fine.length} ${coarse.length} ${after?.length ?? 0} ${fine}${coarse}${after ?? ''}`;
    const full = trial.before === undefined ? plain : plain + trial.before;
    // Half of the capacity is reserved for approaches without their context.
    const hasContext = this.trials.has(full) || (times > 0 && this.trials.size < LIMITS.trials / 2);
    const [key, before] = hasContext ? [full, trial.before] : [plain, undefined];
    let count = this.trials.get(key);
    if (!count) {
      if (times < 0 || this.trials.size >= LIMITS.trials) return;
      count = {
        how,
        coarse,
        fine,
        ...(after === undefined ? {} : { after }),
        ...(before === undefined ? {} : { before }),
        ...(trial.skipsCheck ? { skipsCheck: true } : {}),
        ...(addsFlag ? { addsFlag } : {}),
        tries: 0,
        successes: 0,
        verified: 0,
        agents: new Counts(),
        successAgents: new Counts(),
      };
      this.trials.set(key, count);
    }
    count.tries += times;
    count.agents.increment(agent, times);
    if (count.tries <= 0) this.trials.delete(key);
    if (!trial.worked) return;
    if (trial.dangers) count.dangers = countDangers(count.dangers, trial.dangers, times);
    count.successes += times;
    count.successAgents.increment(agent, times);
    if (verified) count.verified += times;
  }

  addWindow(window: string, times: 1 | -1 = 1): void {
    if (this.windows.has(window) || (times > 0 && this.windows.size < LIMITS.windows))
      incrementCount(this.windows, window, times);
  }

  get agents(): number {
    return this.failuresOf.size;
  }

  /** Discards the cached counts after the root, name or owner of an execution has changed. */
  invalidate(): void {
    this.cachedCounts = undefined;
  }

  /**
   * Returns whether the evidence has at least this many distinct agents, and owners with independent origins.
   */
  hasAtLeast(agents: number, owners: number): boolean {
    if (this.agents < Math.max(agents, 1)) return false;
    const isIndependent = owners < 2 || this.counts().origins >= owners;
    return isIndependent && (this.hasDisjointAgents(agents) || this.counts().distinctAgents >= agents);
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
      origins: independentOrigins(this.ledger.ownersOf(executions.agent), executions.origin),
      owners: this.ledger.countOwners(this.failuresOf.numbers()),
      executions: executions.agent.length,
      failures: this.failures,
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
      const { name, owner } = this.ledger.agent(agent);
      return { name, owner, executions: executionsOf[agent] ?? 0, failures };
    });
  }

  /** Returns the agents with the most failures, without sorting all of them. */
  private mostFailures(): { agent: number; id: string; failures: number }[] {
    const most: { agent: number; id: string; failures: number }[] = [];
    for (const agent of this.failuresOf.numbers()) {
      const one = { agent, id: this.ledger.agent(agent).id, failures: this.failuresOf.get(agent) };
      if (most.length === LIMITS.seenBy && !hasMoreFailures(one, most[most.length - 1])) continue;
      const at = most.findIndex((known) => hasMoreFailures(one, known));
      most.splice(at < 0 ? most.length : at, 0, one);
      most.length = Math.min(most.length, LIMITS.seenBy);
    }
    return most;
  }
}

type AgentFailures = { id: string; failures: number };

function hasMoreFailures(a: AgentFailures, b: AgentFailures | undefined): boolean {
  return b === undefined || a.failures > b.failures || (a.failures === b.failures && a.id < b.id);
}

function mergeTrials(first: TrialCount, all: readonly TrialCount[]): TrialCount {
  const add = (of: 'tries' | 'successes' | 'verified') => all.reduce((sum, trial) => sum + trial[of], 0);
  const dangers = sumDangers(all.map((trial) => trial.dangers));
  return {
    ...first,
    ...(dangers ? { dangers } : {}),
    tries: add('tries'),
    successes: add('successes'),
    verified: add('verified'),
    agents: Counts.sum(all.map(({ agents }) => agents)),
    successAgents: Counts.sum(all.map(({ successAgents }) => successAgents)),
  };
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
