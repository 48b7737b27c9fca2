import type { ErrorKind } from '../capture/error-kind.js';
import { episodeFingerprint } from '../capture/fingerprint.js';
import { anyOf, type Episode, type ExecutionObservations, type Grain, usageKey } from '../capture/observation.js';
import { clusterTemplates } from '../capture/template-clusters.js';
import { type Contrast, contrastOf } from './contrast.js';
import { Evidence, type EvidenceCounts, raise } from './evidence.js';
import { Ledger } from './ledger.js';
import { SuccessMiner } from './success.js';

/** An error pattern: a failing action and the error it ends in, seen in executions of several agents (spec E1.2). */
export interface Pattern {
  grain: Grain;
  tool: string;
  purpose: string;
  /** The failing action at the pattern's grain: `python`, or `pip install -e [word]`; of the grain `kind`, the most frequent. */
  action: string;
  /** Its coarse form, by which related patterns belong together. */
  coarse: string;
  errorClass: string;
  program: string;
  kind?: ErrorKind;
  /** The most frequent error template. */
  template: string;
  fingerprint: string;
  /** Fingerprints of further templates of the same message, which count here. */
  sameMessage: string[];
  evidence: Evidence;
  counts: EvidenceCounts;
  /** Executions of the window that used the action at all. */
  using: number;
  contrast: Contrast;
  /** Short windows around the failure, most frequent first. */
  windows: { window: string; executions: number }[];
}

interface Group {
  grain: Grain;
  tool: string;
  coarse: string;
  fine: string;
  program: string;
  evidence: Evidence;
  kinds: Map<ErrorKind | '', number>;
  errorClass: string;
  actions: Map<string, number>;
  purposes: Map<string, number>;
  templates: Map<string, number>;
}

/** Hostile reports can invent actions without end; beyond this, groups of a single agent give way. */
const MAX_GROUPS = 60_000;
/** Action keys counted for the denominator; beyond this, those used once give way. */
const MAX_USAGE = 500_000;
const MAX_NAMES = 50;

/**
 * Collects observations into groups, one execution at a time, and takes them back when they leave the window. What it
 * holds of an execution is some numbers.
 */
export class PatternMiner {
  readonly ledger = new Ledger();
  /** What comes before what in executions that succeed. */
  readonly successes = new SuccessMiner(this.ledger);
  private readonly groups = new Map<string, Group>();
  private readonly usage = new Map<string, number>();

  get executions(): number {
    return this.ledger.size;
  }

  /** False when it holds the execution already. */
  add(observed: ExecutionObservations): boolean {
    const execution = this.ledger.add(observed);
    if (execution === undefined) return false;
    for (const key of observed.used) raise(this.usage, key, 1);
    for (const episode of observed.episodes) this.addEpisode(episode, observed, execution);
    this.successes.count(observed, execution, 1);
    if (this.groups.size > MAX_GROUPS) this.shedGroups();
    if (this.usage.size > MAX_USAGE) this.shedUsage();
    return true;
  }

  /** Takes back what {@link add} was given. False when it does not hold the execution. */
  remove(observed: ExecutionObservations): boolean {
    const execution = this.ledger.number(observed.executionId);
    if (execution === undefined) return false;
    for (const key of observed.used) raise(this.usage, key, -1);
    for (const episode of observed.episodes) this.removeEpisode(episode, observed, execution);
    this.successes.count(observed, execution, -1);
    this.ledger.remove(observed.executionId);
    return true;
  }

  /** What was counted by root or owner is counted anew: they may change while an execution stays. */
  recount(): void {
    for (const { evidence } of this.groups.values()) evidence.forget();
    this.successes.recount();
  }

  /** Every pattern seen, finer grains included; selection is the cycle's. */
  patterns(): Pattern[] {
    const [others, templated]: Group[][] = [[], []];
    for (const group of this.groups.values()) (group.grain === 'template' ? templated : others)?.push(group);
    return [
      ...(others ?? []).map((group) => this.patternOf(group, [])),
      ...sameMessages(templated ?? []).map(([group, ...more]) => this.patternOf(group, more)),
    ];
  }

  private addEpisode(episode: Episode, observed: ExecutionObservations, execution: number): void {
    const key = groupKey(episode);
    let group = this.groups.get(key);
    if (!group) {
      const { grain, tool, coarse, fine, errorClass, program } = episode;
      group = {
        grain,
        tool,
        coarse,
        fine,
        errorClass,
        program,
        evidence: new Evidence(this.ledger),
        kinds: new Map(),
        actions: new Map(),
        purposes: new Map(),
        templates: new Map(),
      };
      this.groups.set(key, group);
    }
    name(group, episode, 1);
    group.evidence.addExecution({ execution, model: observed.model, failures: episode.failures });
    this.addDetails(group, episode, observed, execution, 1);
  }

  private removeEpisode(episode: Episode, observed: ExecutionObservations, execution: number): void {
    const key = groupKey(episode);
    const group = this.groups.get(key);
    // A group that gave way to others may have come back without this execution.
    if (!group?.evidence.executionIds.has(execution)) return;
    name(group, episode, -1);
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

  /** `more` are groups of other templates of the same message. */
  private patternOf(group: Group, more: readonly Group[]): Pattern {
    const { grain, tool, program } = group;
    const kind = mostFrequent(group.kinds) || undefined;
    const evidence = more.length === 0 ? group.evidence : new Evidence();
    if (more.length > 0) for (const one of [group, ...more]) evidence.merge(one.evidence);
    // Broad grains go by what is most frequent in them; which that is, is no part of their identity.
    const coarse = grain === 'kind' ? mostFrequent(group.actions) : grain === 'program' ? program : group.coarse;
    const errorClass = grain === 'kind' ? (kind ?? '') : grain === 'program' ? '*' : group.errorClass;
    const action = grain === 'fine' ? group.fine : coarse;
    const template = mostFrequent(group.templates);
    return {
      grain,
      tool,
      purpose: mostFrequent(group.purposes),
      action,
      coarse,
      errorClass,
      program,
      ...(kind ? { kind } : {}),
      template,
      fingerprint: episodeFingerprint({ ...group, template, ...(kind ? { kind } : {}) }),
      sameMessage: more.map((one) => episodeFingerprint({ ...one, template: mostFrequent(one.templates) })),
      evidence,
      // Counted when somebody asks: of most patterns nobody wants to know more than whether enough agents met them.
      get counts() {
        return evidence.counts();
      },
      using: Math.max(this.usage.get(usageKey(tool, usageOf(grain, program, action))) ?? 0, evidence.executionIds.size),
      contrast: contrastOf(coarse, evidence.trials.values()),
      windows: [...evidence.windows]
        .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
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

/** Groups of one action and class whose templates are one message, the most frequent first. */
function sameMessages(groups: readonly Group[]): [Group, ...Group[]][] {
  const families = new Map<string, Map<string, Group>>();
  for (const group of groups) {
    const key = JSON.stringify([group.tool, group.coarse, group.errorClass]);
    const family = families.get(key) ?? new Map<string, Group>();
    family.set(mostFrequent(group.templates), group);
    families.set(key, family);
  }
  return [...families.values()].flatMap((family) => {
    const clusters = new Map<string, [Group, ...Group[]]>();
    const weighted = [...family].map(([template, { evidence }]) => ({ template, weight: evidence.executionIds.size }));
    const leaderOf = clusterTemplates(weighted);
    for (const leader of new Set(leaderOf.values())) {
      const first = family.get(leader);
      if (first) clusters.set(leader, [first]);
    }
    for (const [template, leader] of leaderOf) {
      const group = family.get(template);
      if (group && template !== leader) clusters.get(leader)?.push(group);
    }
    return [...clusters.values()];
  });
}

function usageOf(grain: Grain, program: string, action: string): string {
  if (grain === 'kind') return anyOf('*');
  return grain === 'program' ? anyOf(program) : action;
}

function groupKey({ grain, tool, coarse, fine, errorClass, template, program, kind }: Episode): string {
  if (grain === 'kind') return JSON.stringify([grain, tool, kind]);
  if (grain === 'program') return JSON.stringify([grain, tool, program]);
  const detail = grain === 'class' ? '' : grain === 'fine' ? fine : template;
  // Lengths keep the parts apart: this is done for every failure of every execution.
  return `${grain} ${tool.length} ${coarse.length} ${errorClass.length} ${tool}${coarse}${errorClass}${detail}`;
}

function name(group: Group, episode: Episode, times: 1 | -1): void {
  count(group.kinds, episode.kind ?? '', times);
  count(group.actions, episode.coarse, times);
  count(group.purposes, episode.purpose, times);
  count(group.templates, episode.template, times);
}

function count<T extends string>(names: Map<T, number>, name: T, times: 1 | -1): void {
  if (names.has(name) || (times > 0 && names.size < MAX_NAMES)) raise(names, name, times);
}

function mostFrequent<T extends string>(names: ReadonlyMap<T, number>): T | '' {
  let best: T | '' = '';
  let most = 0;
  for (const [name, n] of names) {
    if (n > most || (n === most && name < best)) [best, most] = [name, n];
  }
  return best;
}
