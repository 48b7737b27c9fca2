import type { ErrorKind } from '../../capture/errors/error-kind.js';
import { clusterTemplates } from '../../capture/errors/template-clusters.js';
import type { Episode, Granularity } from '../../capture/observations/observation.js';
import type { ProjectKind } from '../../capture/observations/project-kind.js';
import { sumBy } from '../../platform/base/sum.js';
import { incrementCount, PatternEvidence } from '../evidence/pattern-evidence.js';

/**
 * The collected data of one failure, at one granularity and, except for broad granularities, in one kind of project.
 */
export interface Group {
  granularity: Granularity;
  tool: string;
  coarse: string;
  fine: string;
  program: string;
  project: ProjectKind | undefined;
  evidence: PatternEvidence;
  kinds: Map<ErrorKind | '', number>;
  errorClass: string;
  actions: Map<string, number>;
  purposes: Map<string, number>;
  templates: Map<string, number>;
}

/** Groups that differ only in the kind of project. */
export type ProjectGroups = [Group, ...Group[]];

export function mergeProjects([first, ...more]: ProjectGroups): Group {
  if (more.length === 0) return first;
  const all = [first, ...more];
  const evidence = PatternEvidence.merge(all.map((one) => one.evidence));
  const { granularity, tool, coarse, fine, errorClass, program } = first;
  return {
    ...{ granularity, tool, coarse, fine, errorClass, program, evidence, project: undefined },
    kinds: mergeCounts(all.map(({ kinds }) => kinds)),
    actions: mergeCounts(all.map(({ actions }) => actions)),
    purposes: mergeCounts(all.map(({ purposes }) => purposes)),
    templates: mergeCounts(all.map(({ templates }) => templates)),
  };
}

function mergeCounts<T extends string>(counts: readonly ReadonlyMap<T, number>[]): Map<T, number> {
  const sum = new Map<T, number>();
  for (const one of counts) for (const [name, n] of one) incrementCount(sum, name, n);
  return sum;
}

/** Clusters groups of one action and class whose templates are one message, the most frequent first. */
export function clusterByMessage(groups: readonly ProjectGroups[]): ProjectGroups[][] {
  const families = new Map<string, Map<string, ProjectGroups>>();
  for (const same of groups) {
    const [{ tool, coarse, errorClass }] = same;
    const key = JSON.stringify([tool, coarse, errorClass]);
    const family = families.get(key) ?? new Map<string, ProjectGroups>();
    family.set(mostFrequent(mergeCounts(same.map(({ templates }) => templates))), same);
    families.set(key, family);
  }
  return [...families.values()].flatMap((family) => {
    const weighted = [...family].map(([template, same]) => ({
      template,
      weight: sumBy(same, ({ evidence }) => evidence.executionIds.size),
    }));
    const leaderOf = clusterTemplates(weighted);
    const clusters = new Map<string, ProjectGroups[]>();
    for (const leader of new Set(leaderOf.values())) {
      const first = family.get(leader);
      if (first) clusters.set(leader, [first]);
    }
    for (const [template, leader] of leaderOf) {
      const same = family.get(template);
      if (same && template !== leader) clusters.get(leader)?.push(same);
    }
    return [...clusters.values()];
  });
}

/**
 * Returns the key of a group. Broad granularities span all projects; other keys start with the kind of project and a
 * blank.
 */
export function groupKey(
  { granularity, tool, coarse, fine, errorClass, template, program, kind }: Episode,
  project: ProjectKind | undefined,
): string {
  if (granularity === 'kind') return JSON.stringify([granularity, tool, kind]);
  if (granularity === 'program') return JSON.stringify([granularity, tool, program]);
  const detail = granularity === 'class' ? '' : granularity === 'fine' ? fine : template;
  // The lengths separate the parts: cheap, since this runs for every failure of every execution.
  return `${project ?? ''} ${granularity} ${tool.length} ${coarse.length} ${errorClass.length} ${tool}${coarse}${errorClass}${detail}`;
}

export const withoutProject = (key: string): string => key.slice(key.indexOf(' '));

/** Counts the names that the failures of a group have. */
export function countNames(group: Group, episode: Episode, times: 1 | -1): void {
  count(group.kinds, episode.kind ?? '', times);
  count(group.actions, episode.coarse, times);
  count(group.purposes, episode.purpose, times);
  count(group.templates, episode.template, times);
}

const MAX_NAMES = 50;

function count<T extends string>(names: Map<T, number>, name: T, times: 1 | -1): void {
  if (names.has(name) || (times > 0 && names.size < MAX_NAMES)) incrementCount(names, name, times);
}

export function mostFrequent<T extends string>(names: ReadonlyMap<T, number>): T | '' {
  let best: T | '' = '';
  let most = 0;
  for (const [name, n] of names) {
    if (n > most || (n === most && name < best)) [best, most] = [name, n];
  }
  return best;
}
