import type { ErrorKind } from '../../capture/errors/error-kind.js';
import { episodeFingerprint } from '../../capture/observations/fingerprint.js';
import type { Episode, ExecutionObservations, Granularity } from '../../capture/observations/observation.js';
import type { ProjectKind } from '../../capture/observations/project-kind.js';
import { anyActionOf, usageKey } from '../../capture/observations/usage.js';
import { compareText } from '../../platform/base/compare-text.js';
import { Ledger } from '../evidence/ledger.js';
import { type EvidenceCounts, incrementCount, PatternEvidence } from '../evidence/pattern-evidence.js';
import { type Contrast, contrastOf } from './contrast.js';
import {
  clusterByMessage,
  countNames,
  type Group,
  groupKey,
  mergeProjects,
  mostFrequent,
  type ProjectGroups,
  withoutProject,
} from './groups.js';
import { ANY_OWNERS, type OwnerRule } from './owner-rule.js';
import { splitByProject } from './per-project.js';
import { SuccessMiner } from './success.js';

/** An error pattern: a failing action and its error, seen in executions of several agents. */
export interface Pattern {
  granularity: Granularity;
  tool: string;
  purpose: string;
  /**
   * The failing action at the pattern's granularity: `python`, or `pip install -e [word]`; for the granularity `kind`,
   * the most frequent one.
   */
  action: string;
  /** Its coarse form, which related patterns share. */
  coarse: string;
  errorClass: string;
  program: string;
  kind?: ErrorKind;
  /** Set if the same failure is another pattern in other kinds of project. */
  project?: ProjectKind;
  /** Set if it was seen in only one kind of project so far. */
  onlyIn?: ProjectKind;
  /** The most frequent error template. */
  template: string;
  fingerprint: string;
  /** Further fingerprints of this pattern: of other templates of the same message, and of other kinds of project. */
  alsoKnownAs: string[];
  evidence: PatternEvidence;
  counts: EvidenceCounts;
  /** Executions of the window that used the action. */
  using: number;
  contrast: Contrast;
  /** The owners that its remedy needs. */
  rule: OwnerRule;
  /** Short windows of calls around the failure, most frequent first. */
  windows: { window: string; executions: number }[];
}

/** Hostile reports can invent any number of actions. Above this limit, groups of a single agent are dropped. */
const MAX_GROUPS = 60_000;
/** The limit of action keys that are counted as denominators. Above it, keys with one use are dropped. */
const MAX_USAGE = 500_000;

/**
 * Collects observations into groups, one execution at a time, and removes executions that leave the window. It keeps
 * only numbers of an execution.
 */
export class PatternMiner {
  readonly ledger = new Ledger();
  /** Mines the steps that precede an action in successful executions. */
  readonly successes = new SuccessMiner(this.ledger);
  private readonly groups = new Map<string, Group>();
  private readonly usage = new Map<string, number>();
  private rule: OwnerRule = ANY_OWNERS;
  private withSkips = false;

  get executions(): number {
    return this.ledger.size;
  }

  /** Returns false if the execution is already counted. */
  add(observed: ExecutionObservations): boolean {
    const execution = this.ledger.add(observed);
    if (execution === undefined) return false;
    this.countUse(observed, 1);
    for (const episode of observed.episodes) this.addEpisode(episode, observed, execution);
    this.successes.count(observed, execution, 1);
    if (this.groups.size > MAX_GROUPS) this.shedGroups();
    if (this.usage.size > MAX_USAGE) this.shedUsage();
    return true;
  }

  /** Removes an execution. Returns false if it was not counted. */
  remove(observed: ExecutionObservations): boolean {
    const execution = this.ledger.numberOf(observed.executionId);
    if (execution === undefined) return false;
    this.countUse(observed, -1);
    for (const episode of observed.episodes) this.removeEpisode(episode, observed, execution);
    this.successes.count(observed, execution, -1);
    this.ledger.remove(observed.executionId);
    return true;
  }

  /** Discards counts by root or owner, which may change while an execution stays. */
  recount(): void {
    for (const { evidence } of this.groups.values()) evidence.invalidate();
    this.successes.recount();
  }

  /**
   * Returns all patterns, including finer granularities. `minOwners`: the owners for whom a remedy must have worked.
   * `withSkips`: what only skipped a check counts as a remedy of failures that have no other.
   */
  patterns(minOwners = 1, withSkips = false): Pattern[] {
    this.withSkips = withSkips;
    this.rule = { minOwners, ownerOf: (agent) => this.ledger.agent(agent).owner };
    const [broad, narrow, templated]: [Group[], ProjectGroups[], ProjectGroups[]] = [[], [], []];
    const identities = new Map<string, ProjectGroups>();
    for (const [key, group] of this.groups) {
      if (group.granularity === 'kind' || group.granularity === 'program') {
        broad.push(group);
        continue;
      }
      const identity = withoutProject(key);
      const known = identities.get(identity);
      if (known) known.push(group);
      else identities.set(identity, [group]);
    }
    for (const same of identities.values()) (same[0].granularity === 'template' ? templated : narrow).push(same);
    return [
      ...broad.map((group) => this.patternOf(group, [])),
      ...narrow.flatMap((same) => this.perProject([same])),
      ...clusterByMessage(templated).flatMap((cluster) => this.perProject(cluster)),
    ];
  }

  /**
   * Returns one pattern of a failure, or one for each kind of project. `cluster`: templates of one message, the main
   * one first.
   */
  private perProject(cluster: readonly ProjectGroups[]): Pattern[] {
    const [main, ...more] = cluster.map(mergeProjects);
    if (!main) return [];
    const whole = this.patternOf(main, more);
    const projects = new Set(cluster.flatMap((same) => same.map(({ project }) => project)));
    const [only] = projects;
    if (only && projects.size === 1) whole.onlyIn = only;
    if ([...projects].filter((project) => project !== undefined).length < 2) return [whole];
    const parts = [...projects].flatMap((project) => {
      const [first, ...rest] = cluster.flatMap((same) => same.filter((group) => group.project === project));
      return first ? [this.patternOf(first, rest, project)] : [];
    });
    return splitByProject(whole, parts);
  }

  private countUse({ used, project }: ExecutionObservations, times: 1 | -1): void {
    for (const key of used) incrementCount(this.usage, key, times);
    if (project) for (const key of used) incrementCount(this.usage, project + key, times);
  }

  private addEpisode(episode: Episode, observed: ExecutionObservations, execution: number): void {
    const key = groupKey(episode, observed.project);
    let group = this.groups.get(key);
    if (!group) {
      const { granularity, tool, coarse, fine, errorClass, program } = episode;
      group = {
        granularity,
        tool,
        coarse,
        fine,
        errorClass,
        program,
        project: observed.project,
        evidence: new PatternEvidence(this.ledger),
        kinds: new Map(),
        actions: new Map(),
        purposes: new Map(),
        templates: new Map(),
      };
      this.groups.set(key, group);
    }
    countNames(group, episode, 1);
    group.evidence.addExecution({ execution, model: observed.model, failures: episode.failures });
    this.addDetails(group, episode, observed, execution, 1);
  }

  private removeEpisode(episode: Episode, observed: ExecutionObservations, execution: number): void {
    const key = groupKey(episode, observed.project);
    const group = this.groups.get(key);
    // The group may have been dropped and created again without this execution.
    if (!group?.evidence.executionIds.has(execution)) return;
    countNames(group, episode, -1);
    this.addDetails(group, episode, observed, execution, -1);
    group.evidence.removeExecution({ execution, model: observed.model, failures: episode.failures });
    if (group.evidence.executionIds.size === 0) this.groups.delete(key);
  }

  private addDetails(
    { evidence }: Group,
    episode: Episode,
    observed: ExecutionObservations,
    execution: number,
    times: 1 | -1,
  ): void {
    const agent = this.ledger.agentAt(execution);
    for (const trial of episode.trials) evidence.addTrial(trial, agent, observed.verified, times);
    for (const window of episode.windows) evidence.addWindow(window, times);
  }

  /** `more`: groups of other templates of the same message. `project`: set if the pattern is limited to it. */
  private patternOf(group: Group, more: readonly Group[], project?: ProjectKind): Pattern {
    const { granularity, tool, program } = group;
    const kind = mostFrequent(group.kinds) || undefined;
    const evidence =
      more.length === 0 ? group.evidence : PatternEvidence.merge([group, ...more].map((one) => one.evidence));
    const printOf = (one: Group): string =>
      episodeFingerprint({ ...one, template: mostFrequent(one.templates), ...(kind ? { kind } : {}) }, project);
    // Broad granularities are described by their most frequent action, which is not part of their identity.
    const coarse =
      granularity === 'kind' ? mostFrequent(group.actions) : granularity === 'program' ? program : group.coarse;
    const errorClass = granularity === 'kind' ? (kind ?? '') : granularity === 'program' ? '*' : group.errorClass;
    const action = granularity === 'fine' ? group.fine : coarse;
    const template = mostFrequent(group.templates);
    return {
      granularity,
      tool,
      purpose: mostFrequent(group.purposes),
      action,
      coarse,
      errorClass,
      program,
      ...(kind ? { kind } : {}),
      template,
      ...(project ? { project } : {}),
      fingerprint: printOf(group),
      alsoKnownAs: more.map(printOf),
      evidence,
      // Computed on demand: for most patterns, only the number of agents is needed.
      get counts() {
        return evidence.counts();
      },
      using: Math.max(
        this.usage.get((project ?? '') + usageKey(tool, usageOf(granularity, program, action))) ?? 0,
        evidence.executionIds.size,
      ),
      contrast: contrastOf(coarse, evidence.trials.values(), this.rule, this.withSkips),
      rule: this.rule,
      windows: [...evidence.windows]
        .sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]))
        .slice(0, 5)
        .map(([window, executions]) => ({ window, executions })),
    };
  }

  private shedGroups(): void {
    for (const [key, group] of this.groups) {
      if (this.groups.size <= MAX_GROUPS / 2) return;
      if (group.evidence.agents < 2) this.groups.delete(key);
    }
  }

  private shedUsage(): void {
    for (const [key, executions] of this.usage) if (executions === 1) this.usage.delete(key);
  }
}

function usageOf(granularity: Granularity, program: string, action: string): string {
  if (granularity === 'kind') return anyActionOf('*');
  return granularity === 'program' ? anyActionOf(program) : action;
}
