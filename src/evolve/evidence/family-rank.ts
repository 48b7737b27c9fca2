import { compareText } from '../../platform/base/compare-text.js';
import type { Family } from './candidate.js';

/**
 * `examined`: the families of a cycle for which executions are read. On every set measured, families further down have
 * fewer than three agents, and each costs the reports of up to some hundred executions. `ofOneProject`: the places for
 * families of a single project, which have few agents and rank low, but yield facts of the project.
 */
export const RANK_SETTINGS = { examined: 80, ofOneProject: 2 } as const;

/** How much a family matters: executions times the square root of the agents. */
export function familyScore({ evidence }: Family): number {
  return evidence.executionIds.size * Math.sqrt(evidence.agents);
}

/** Selects the families of a cycle, the most important first. At least two places go to families of a single project. */
export function rankFamilies(families: readonly Family[], most: number = RANK_SETTINGS.examined): Family[] {
  const ranked = families
    .map((family) => ({ family, score: familyScore(family) }))
    .sort((a, b) => b.score - a.score || compareText(a.family.fingerprint, b.family.fingerprint))
    .map(({ family }) => family);
  const ofOneProject = ranked.filter(({ project }) => project !== undefined);
  const places = new Set(ofOneProject.slice(0, Math.min(RANK_SETTINGS.ofOneProject, most)));
  for (const family of ranked) {
    if (places.size >= most) break;
    places.add(family);
  }
  return ranked.filter((family) => places.has(family));
}
