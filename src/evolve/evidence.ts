import type { How } from '../capture/trial.js';
import { type Independence, independent, type SupportCounts } from './distinct.js';
import { Ledger } from './ledger.js';

/** By agent, as the ledger numbers them: how often. An agent that is down to nothing is no longer in it. */
export type ByAgent = ReadonlyMap<number, number>;

/** What was tried against a failure, counted over executions: the raw material of a contrast. */
export interface TrialCount {
  how: How;
  coarse: string;
  fine: string;
  tries: number;
  successes: number;
  /** Successes in executions that somebody else than the agent verified. */
  verified: number;
  agents: ByAgent;
  successAgents: ByAgent;
}

interface Tally extends TrialCount {
  agents: Map<number, number>;
  successAgents: Map<number, number>;
}

/** Everything a pattern keeps of the executions behind it. No call, text or report stays. */
export interface EvidenceCounts extends SupportCounts {
  executions: number;
  failures: number;
  /** ISO 8601. */
  firstSeen: string;
  lastSeen: string;
  /** The agents with the most failures first, at most 50. */
  seenBy: SeenBy[];
  /** Models that the executions ran on, where they say so; at most 50, sorted. */
  models: string[];
}

/** One agent's share, for the reviewer. */
export interface SeenBy {
  name: string;
  owner: string;
  executions: number;
  failures: number;
}

/** What one execution adds. */
export interface EvidenceItem {
  /** In the ledger. */
  execution: number;
  model?: string | undefined;
  failures: number;
}

/** Bounds on what one pattern can hold, whatever is reported: further approaches and names are not recorded. */
const LIMITS = { trials: 300, windows: 200, seenBy: 50, models: 50 } as const;

/**
 * The evidence of one pattern. Executions come and go as the window slides: everything is a count that can be taken back.
 * What it holds is a number for each execution, and counts by agent; no text of a report.
 */
export class Evidence {
  readonly trials = new Map<string, Tally>();
  readonly windows = new Map<string, number>();
  /** Numbers in the ledger. */
  readonly executionIds = new Set<number>();
  private readonly failuresOf = new Map<number, number>();
  private readonly models = new Map<string, number>();
  private failures = 0;
  private known: EvidenceCounts | undefined;

  constructor(private ledger = new Ledger()) {}

  addExecution({ execution, model, failures }: EvidenceItem): void {
    this.known = undefined;
    this.failures += failures;
    this.executionIds.add(execution);
    raise(this.failuresOf, this.ledger.at(execution).agent, failures);
    if (model !== undefined) raise(this.models, model, 1);
  }

  /** Takes back what {@link addExecution} added; the execution is still in the ledger. */
  removeExecution({ execution, model, failures }: EvidenceItem): void {
    this.known = undefined;
    this.failures -= failures;
    this.executionIds.delete(execution);
    raise(this.failuresOf, this.ledger.at(execution).agent, -failures);
    if (model !== undefined) raise(this.models, model, -1);
  }

  /** `times`: 1, or -1 to take it back. */
  addTrial(
    trial: { how: How; coarse: string; fine: string; worked: boolean },
    agent: number,
    verified: boolean,
    times: 1 | -1 = 1,
  ): void {
    const key = JSON.stringify([trial.how, trial.fine, trial.coarse]);
    let count = this.trials.get(key);
    if (!count) {
      if (times < 0 || this.trials.size >= LIMITS.trials) return;
      const { how, coarse, fine } = trial;
      count = { how, coarse, fine, tries: 0, successes: 0, verified: 0, agents: new Map(), successAgents: new Map() };
      this.trials.set(key, count);
    }
    count.tries += times;
    raise(count.agents, agent, times);
    if (count.tries <= 0) this.trials.delete(key);
    if (!trial.worked) return;
    count.successes += times;
    raise(count.successAgents, agent, times);
    if (verified) count.verified += times;
  }

  addWindow(window: string, times: 1 | -1 = 1): void {
    if (this.windows.has(window) || (times > 0 && this.windows.size < LIMITS.windows))
      raise(this.windows, window, times);
  }

  get agents(): number {
    return this.failuresOf.size;
  }

  /** Somebody else's root or name has changed: what was counted from the ledger is counted anew. */
  forget(): void {
    this.known = undefined;
  }

  /** Adds another pattern's evidence, for patterns that turn out to be one lesson. */
  merge(other: Evidence): void {
    this.known = undefined;
    this.ledger = other.ledger;
    this.failures += other.failures;
    for (const execution of other.executionIds) this.executionIds.add(execution);
    for (const [agent, failures] of other.failuresOf) raise(this.failuresOf, agent, failures);
    for (const [model, executions] of other.models) raise(this.models, model, executions);
    for (const [key, theirs] of other.trials) {
      const ours = this.trials.get(key);
      this.trials.set(key, tallyOf(ours ? sumTrials(ours, theirs) : theirs));
    }
  }

  /** Whether so many distinct agents of so many owners stand behind it, without counting further than that. */
  hasAtLeast(agents: number, owners: number): boolean {
    if (this.agents < Math.max(agents, 1)) return false;
    const seen = new Set<string>();
    for (const agent of this.failuresOf.keys()) {
      seen.add(this.ledger.agent(agent).owner);
      if (seen.size >= owners) break;
    }
    return seen.size >= owners && (this.showsAgents(agents) || this.counts().distinctAgents >= agents);
  }

  counts(): EvidenceCounts {
    this.known ??= this.count();
    return this.known;
  }

  /** Executions that have neither agent, origin nor root in common: as many distinct agents there are at least. */
  private showsAgents(wanted: number): boolean {
    const used = [new Set<number>(), new Set<number>(), new Set<number>()] as const;
    let looked = 0;
    for (const execution of this.executionIds) {
      const { agent, origin, root } = this.ledger.at(execution);
      looked += 1;
      if (!used[0].has(agent) && !used[1].has(origin) && !used[2].has(root)) {
        used[0].add(agent);
        used[1].add(origin);
        used[2].add(root);
        if (used[0].size >= wanted) return true;
      }
      if (looked >= 1_000) return false;
    }
    return false;
  }

  private count(): EvidenceCounts {
    const supports: Independence[] = [];
    const executionsOf = new Map<number, number>();
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const execution of this.executionIds) {
      const entry = this.ledger.at(execution);
      supports.push(entry);
      raise(executionsOf, entry.agent, 1);
      first = Math.min(first, entry.finishedAt);
      last = Math.max(last, entry.finishedAt);
    }
    return {
      ...independent(supports),
      owners: new Set([...this.failuresOf.keys()].map((agent) => this.ledger.agent(agent).owner)).size,
      executions: this.executionIds.size,
      failures: this.failures,
      firstSeen: instant(first),
      lastSeen: instant(last),
      seenBy: this.seenBy(executionsOf),
      models: [...this.models.keys()].sort().slice(0, LIMITS.models),
    };
  }

  private seenBy(executionsOf: ReadonlyMap<number, number>): SeenBy[] {
    return [...this.failuresOf]
      .map(([agent, failures]) => ({ ...this.ledger.agent(agent), executions: executionsOf.get(agent) ?? 0, failures }))
      .sort((a, b) => b.failures - a.failures || (a.id < b.id ? -1 : 1))
      .slice(0, LIMITS.seenBy)
      .map(({ name, owner, executions, failures }) => ({ name, owner, executions, failures }));
  }
}

export function sumTrials(a: TrialCount, b: TrialCount): TrialCount {
  return {
    ...a,
    tries: a.tries + b.tries,
    successes: a.successes + b.successes,
    verified: a.verified + b.verified,
    agents: sum(a.agents, b.agents),
    successAgents: sum(a.successAgents, b.successAgents),
  };
}

const tallyOf = (trial: TrialCount): Tally => ({
  ...trial,
  agents: new Map(trial.agents),
  successAgents: new Map(trial.successAgents),
});

function sum(a: ByAgent, b: ByAgent): Map<number, number> {
  const both = new Map(a);
  for (const [agent, times] of b) raise(both, agent, times);
  return both;
}

/** Raises a count, or lowers it; what is down to nothing is forgotten. */
export function raise<K>(counts: Map<K, number>, key: K, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}

/** As reports mostly have it: without thousandths where there are none. */
const instant = (at: number): string => (Number.isFinite(at) ? new Date(at).toISOString().replace('.000Z', 'Z') : '');
