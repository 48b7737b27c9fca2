import type { Support } from '../capture/observation.js';
import type { How } from '../capture/trial.js';
import { type SupportCounts, supportCounts } from './distinct.js';

/** What was tried against a failure, counted over executions: the raw material of a contrast. */
export interface TrialCount {
  how: How;
  coarse: string;
  fine: string;
  tries: number;
  successes: number;
  /** Successes in executions that somebody else than the agent verified. */
  verified: number;
  agents: Set<string>;
  successAgents: Set<string>;
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
  executionId: string;
  agentName: string;
  model?: string | undefined;
  support: Support;
  /** ISO 8601. */
  finishedAt: string;
  failures: number;
}

/** Bounds on what one pattern can hold, whatever is reported: further approaches and edges are not recorded. */
const LIMITS = { trials: 300, windows: 200, edgesPerAgent: 32, seenBy: 50, models: 50 } as const;

/** Accumulates the evidence of one pattern. Memory follows distinct agents, origins and approaches, not calls. */
export class Evidence {
  readonly trials = new Map<string, TrialCount>();
  readonly windows = new Map<string, number>();
  readonly executionIds = new Set<string>();
  private readonly supports = new Map<string, Support>();
  private readonly edgesOf = new Map<string, number>();
  private readonly seen = new Map<string, SeenBy>();
  private readonly models = new Set<string>();
  private failures = 0;
  private firstSeen = '';
  private lastSeen = '';

  addExecution({ executionId, agentName, model, support, finishedAt, failures }: EvidenceItem): void {
    this.failures += failures;
    this.executionIds.add(executionId);
    this.span(finishedAt);
    if (model !== undefined) this.models.add(model);
    const { agentId, owner, origin, root } = support;
    this.addSeen(agentId, { name: agentName, owner, executions: 1, failures });
    const key = JSON.stringify([agentId, owner, origin, root]);
    const edges = this.edgesOf.get(agentId) ?? 0;
    if (this.supports.has(key) || edges >= LIMITS.edgesPerAgent) return;
    this.supports.set(key, support);
    this.edgesOf.set(agentId, edges + 1);
  }

  addTrial(
    trial: { how: How; coarse: string; fine: string; worked: boolean },
    agentId: string,
    verified: boolean,
  ): void {
    const key = JSON.stringify([trial.how, trial.fine, trial.coarse]);
    let count = this.trials.get(key);
    if (!count) {
      if (this.trials.size >= LIMITS.trials) return;
      const { how, coarse, fine } = trial;
      count = { how, coarse, fine, tries: 0, successes: 0, verified: 0, agents: new Set(), successAgents: new Set() };
      this.trials.set(key, count);
    }
    count.tries += 1;
    count.agents.add(agentId);
    if (!trial.worked) return;
    count.successes += 1;
    count.successAgents.add(agentId);
    if (verified) count.verified += 1;
  }

  addWindow(window: string): void {
    const known = this.windows.get(window);
    if (known !== undefined || this.windows.size < LIMITS.windows) this.windows.set(window, (known ?? 0) + 1);
  }

  get agents(): number {
    return this.seen.size;
  }

  /** Adds another pattern's evidence, for patterns that turn out to be one lesson. */
  merge(other: Evidence): void {
    this.failures += other.failures;
    for (const id of other.executionIds) this.executionIds.add(id);
    for (const [key, support] of other.supports) this.supports.set(key, support);
    for (const [agentId, seen] of other.seen) this.addSeen(agentId, seen);
    for (const model of other.models) this.models.add(model);
    if (other.firstSeen !== '') this.span(other.firstSeen);
    if (other.lastSeen !== '') this.span(other.lastSeen);
    for (const [key, theirs] of other.trials) {
      const ours = this.trials.get(key);
      this.trials.set(key, ours ? sumTrials(ours, theirs) : theirs);
    }
  }

  counts(): EvidenceCounts {
    return {
      ...supportCounts([...this.supports.values()]),
      executions: this.executionIds.size,
      failures: this.failures,
      firstSeen: this.firstSeen,
      lastSeen: this.lastSeen,
      seenBy: [...this.seen]
        .sort(([idA, a], [idB, b]) => b.failures - a.failures || (idA < idB ? -1 : 1))
        .slice(0, LIMITS.seenBy)
        .map(([, seen]) => seen),
      models: [...this.models].sort().slice(0, LIMITS.models),
    };
  }

  private span(instant: string): void {
    const at = Date.parse(instant);
    if (this.firstSeen === '' || at < Date.parse(this.firstSeen)) this.firstSeen = instant;
    if (this.lastSeen === '' || at > Date.parse(this.lastSeen)) this.lastSeen = instant;
  }

  /** In merged patterns, an execution with failures of both counts for both. */
  private addSeen(agentId: string, more: SeenBy): void {
    const known = this.seen.get(agentId);
    const { executions, failures } = known ?? { executions: 0, failures: 0 };
    this.seen.set(agentId, { ...more, executions: executions + more.executions, failures: failures + more.failures });
  }
}

export function sumTrials(a: TrialCount, b: TrialCount): TrialCount {
  return {
    ...a,
    tries: a.tries + b.tries,
    successes: a.successes + b.successes,
    verified: a.verified + b.verified,
    agents: new Set([...a.agents, ...b.agents]),
    successAgents: new Set([...a.successAgents, ...b.successAgents]),
  };
}
