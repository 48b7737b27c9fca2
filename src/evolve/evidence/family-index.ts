import { episodeFingerprint, familyFingerprint } from '../../capture/observations/fingerprint.js';
import type { Episode, ExecutionObservations } from '../../capture/observations/observation.js';
import type { ProjectKind } from '../../capture/observations/project-kind.js';
import { usageKey } from '../../capture/observations/usage.js';
import { compareText } from '../../platform/base/compare-text.js';
import { groupsOf } from '../../platform/base/sum.js';
import { type CountRecord, type CountRecordOf, type SavedNumbers, slices } from '../support/count-records.schema.js';
import { Ledger } from '../support/ledger.js';
import { incrementCount, PatternEvidence } from '../support/pattern-evidence.js';
import type { Family } from './candidate.js';
import { clusterFailures, type FailureGroup, type FamilyCluster } from './family-clusters.js';
import { UsageSamples } from './usage-samples.js';

/** Hostile reports can invent any number of errors. Above this limit, groups of a single agent are dropped. */
const MAX_GROUPS = 60_000;
const MAX_TOOLS = 10_000;
/** Projects that are counted for each group. */
const MAX_PROJECTS = 50;
const TOOLS_SAVED_TOGETHER = 1_000;
/** A tool of which more than this share of at least so many calls fails is one family. */
const ALWAYS_FAILS = { share: 0.95, calls: 10 } as const;

/** What the failures of a group have in common. */
type FailureOf = Pick<Episode, 'tool' | 'coarse' | 'errorClass' | 'template'>;

/** The failures of one tool, action, class and template. */
interface Group extends FailureGroup {
  readonly evidence: PatternEvidence;
  /** By kind of project, `''` if it is unknown. */
  readonly kinds: Map<ProjectKind | '', number>;
  readonly projects: Map<string, number>;
}

/**
 * Collects stored observations into families of failures, one execution at a time, and removes executions that leave the
 * window. It keeps numbers and templates, no text of a report.
 */
export class FamilyIndex {
  readonly ledger = new Ledger();
  private readonly groups = new Map<string, Group>();
  private readonly usage = new UsageSamples();
  private readonly tools = new Map<string, { calls: number; failed: number }>();
  /** The evidence of the group that was restored last. */
  private restored: PatternEvidence | undefined;

  get executions(): number {
    return this.ledger.size;
  }

  /** Returns false if the execution is already counted. */
  add(observed: ExecutionObservations): boolean {
    const execution = this.ledger.add(observed);
    if (execution === undefined) return false;
    this.usage.add(execution, observed.executionId, observed.used);
    this.countTools(observed, 1);
    for (const episode of observed.episodes) this.addFailures(episode, observed, execution);
    if (this.groups.size > MAX_GROUPS) this.shedGroups();
    return true;
  }

  /** Removes an execution. Returns false if it was not counted. */
  remove(observed: ExecutionObservations): boolean {
    const execution = this.ledger.numberOf(observed.executionId);
    if (execution === undefined) return false;
    this.usage.remove(execution, observed.used);
    this.countTools(observed, -1);
    for (const episode of observed.episodes) this.removeFailures(episode, observed, execution);
    this.ledger.remove(observed.executionId);
    return true;
  }

  /** Discards counts by root or owner, which may change while an execution stays. */
  recount(): void {
    for (const { evidence } of this.groups.values()) evidence.invalidate();
  }

  /** Returns how many executions of the window used an action of a tool, coarse or fine. */
  usingOf(tool: string, action: string): number {
    return this.usage.count(usageKey(tool, action));
  }

  /**
   * Returns a sample of the executions that used any of these actions, by their numbers in the ledger: those with which
   * executions that failed are compared. `keys`: as {@link usageKey} returns them.
   */
  controlsOf(keys: Iterable<string>): number[] {
    return this.usage.sampleOf(keys);
  }

  /** Returns all families, those with the most failures first. */
  families(): Family[] {
    const groups = [...this.groups.values()].map((group) => ({ ...group, failures: group.evidence.failures }));
    return clusterFailures(groups, this.alwaysFail()).map((cluster) => familyOf(cluster));
  }

  *records(numbers: SavedNumbers): Generator<CountRecord> {
    yield* this.ledger.records(numbers);
    yield* this.usage.records(numbers);
    for (const slice of slices(this.tools, TOOLS_SAVED_TOGETHER))
      yield { of: 'tools', tools: slice.map(([tool, { calls, failed }]) => [tool, calls, failed]) };
    for (const { tool, action, errorClass, template, evidence, kinds, projects } of this.groups.values()) {
      const identity = { tool, action, errorClass, template };
      yield { of: 'group', ...identity, ...evidence.totals(), kinds: [...kinds], projects: [...projects] };
      yield* evidence.records(numbers);
    }
  }

  /** Adds what {@link records} gave, record by record in the same order. */
  restore(record: CountRecord): void {
    switch (record.of) {
      case 'agents':
        this.ledger.restoreAgents(record);
        break;
      case 'executions':
        for (const [number, id] of this.ledger.restoreExecutions(record)) this.usage.restoreExecution(number, id);
        break;
      case 'usage limit':
        this.usage.restoreLimit(record);
        break;
      case 'usage':
        for (const { sample } of record.actions) this.ledger.requireExecutions(sample);
        this.usage.restore(record);
        break;
      case 'tools':
        for (const [tool, calls, failed] of record.tools) this.tools.set(tool, { calls, failed });
        break;
      case 'group':
        this.restoreGroup(record);
        break;
      case 'evidence':
        if (!this.restored) throw new SyntaxError('evidence of no group');
        this.restored.restore(record);
        break;
    }
  }

  private restoreGroup(record: CountRecordOf<'group'>): void {
    const group = this.groupOf({ ...record, coarse: record.action });
    group.evidence.restoreTotals(record);
    // Written by `records`; an unknown kind would only be the kind of no project.
    for (const [kind, n] of record.kinds) group.kinds.set(kind as ProjectKind | '', n);
    for (const [project, n] of record.projects) group.projects.set(project, n);
    this.restored = group.evidence;
  }

  /** The group of a failure, which is added if there is none. */
  private groupOf({ tool, coarse: action, errorClass, template }: FailureOf): Group {
    const key = groupKey({ tool, coarse: action, errorClass, template });
    const known = this.groups.get(key);
    if (known) return known;
    const evidence = new PatternEvidence(this.ledger);
    const group = { tool, action, errorClass, template, evidence, failures: 0, kinds: new Map(), projects: new Map() };
    this.groups.set(key, group);
    return group;
  }

  private alwaysFail(): Set<string> {
    const { share, calls: fewest } = ALWAYS_FAILS;
    return new Set(
      [...this.tools].flatMap(([tool, { calls, failed }]) => (calls >= fewest && failed > share * calls ? tool : [])),
    );
  }

  private countTools({ toolResults = [] }: ExecutionObservations, times: 1 | -1): void {
    for (const { tool, calls, failed } of toolResults) {
      const known = this.tools.get(tool) ?? { calls: 0, failed: 0 };
      const now = { calls: known.calls + times * calls, failed: known.failed + times * failed };
      if (now.calls <= 0) this.tools.delete(tool);
      else if (this.tools.has(tool) || this.tools.size < MAX_TOOLS) this.tools.set(tool, now);
    }
  }

  private addFailures(episode: Episode, observed: ExecutionObservations, execution: number): void {
    const group = this.groupOf(episode);
    countNames(group, observed, 1);
    group.evidence.addExecution({ execution, model: observed.model, failures: episode.failures });
  }

  private removeFailures(episode: Episode, observed: ExecutionObservations, execution: number): void {
    const key = groupKey(episode);
    const group = this.groups.get(key);
    // The group may have been dropped and created again without this execution.
    if (!group?.evidence.executionIds.has(execution)) return;
    countNames(group, observed, -1);
    group.evidence.removeExecution({ execution, model: observed.model, failures: episode.failures });
    if (group.evidence.executionIds.size === 0) this.groups.delete(key);
  }

  private shedGroups(): void {
    for (const [key, group] of this.groups) {
      if (this.groups.size <= MAX_GROUPS / 2) return;
      if (group.evidence.agents < 2) this.groups.delete(key);
    }
  }
}

/** The lengths separate the parts: cheap, since this runs for every failure of every execution. */
function groupKey({ tool, coarse, errorClass, template }: FailureOf): string {
  return `${tool.length} ${coarse.length} ${errorClass.length} ${tool}${coarse}${errorClass}${template}`;
}

function countNames({ kinds, projects }: Group, observed: ExecutionObservations, times: 1 | -1): void {
  incrementCount(kinds, observed.project ?? '', times);
  const { projectName } = observed;
  if (projectName !== undefined && (projects.has(projectName) || (times > 0 && projects.size < MAX_PROJECTS)))
    incrementCount(projects, projectName, times);
}

function familyOf({ key, groups }: FamilyCluster<Group>): Family {
  let evidence: PatternEvidence | undefined;
  let byAction: Map<string, PatternEvidence> | undefined;
  let fingerprints: string[] | undefined;
  const project = onlyProjectOf(groups);
  return {
    fingerprint: familyFingerprint(key),
    signature: groups[0].template,
    templates: new Set(groups.map(({ template }) => template)),
    tools: byFailures(groups, ({ tool }) => tool),
    actions: byFailures(groups, ({ action }) => action),
    errorClasses: byFailures(groups, ({ errorClass }) => errorClass),
    ...(project === undefined ? {} : { project }),
    // Computed on demand: most families are not examined.
    get fingerprints() {
      fingerprints ??= [...new Set(groups.flatMap(fingerprintsOf))];
      return fingerprints;
    },
    get evidence() {
      evidence ??= merged(groups);
      return evidence;
    },
    get evidenceByAction() {
      byAction ??= evidenceByAction(groups);
      return byAction;
    },
  };
}

const evidenceByAction = (groups: readonly Group[]): Map<string, PatternEvidence> =>
  new Map([...groupsOf(groups, ({ action }) => action)].map(([action, own]) => [action, merged(own)]));

function merged(groups: readonly Group[]): PatternEvidence {
  const [first, ...others] = groups;
  return first && others.length === 0 ? first.evidence : PatternEvidence.merge(groups.map(({ evidence }) => evidence));
}

/** As stored observations name the failures: for all kinds of project, and for each kind. */
function fingerprintsOf({ tool, action: coarse, errorClass, template, kinds }: Group): string[] {
  const identity = { tool, coarse, errorClass, template };
  const specific = [...kinds.keys()].sort().flatMap((kind) => (kind === '' ? [] : episodeFingerprint(identity, kind)));
  return [episodeFingerprint(identity), ...specific];
}

function byFailures(groups: readonly Group[], nameOf: (group: Group) => string): string[] {
  const counts = new Map<string, number>();
  for (const group of groups) incrementCount(counts, nameOf(group), group.failures);
  return [...counts].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0])).map(([name]) => name);
}

/** Undefined if an execution is of another project, or does not say. */
function onlyProjectOf(groups: readonly Group[]): string | undefined {
  const [first] = groups[0]?.projects.keys() ?? [];
  const isOnly = groups.every(
    ({ projects, evidence }) => projects.size === 1 && projects.get(first ?? '') === evidence.executionIds.size,
  );
  return isOnly ? first : undefined;
}
