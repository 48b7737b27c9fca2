import { createHash } from 'node:crypto';
import type { Episode } from './observation.js';
import type { ProjectKind } from './project-kind.js';

/**
 * What makes a pattern the same pattern in every cycle: never counts, dates, agents or wording (spec E1.6). The purpose
 * is no part of it: one action serves several, and which of them was seen most changes from cycle to cycle.
 */
export interface PatternIdentity {
  tool: string;
  action: string;
  errorClass: string;
  /** Where it is told apart from the same failure in other kinds of project. */
  project?: ProjectKind;
}

/** `sha256:` + 64 hex. JSON keeps the parts apart, so that no part can imitate the border between two others. */
function digest(kind: string, parts: readonly string[]): string {
  return `sha256:${createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest('hex')}`;
}

/** Stable identity of a failure pattern over cycles. */
export function patternFingerprint({ tool, action, errorClass, project }: PatternIdentity): string {
  return digest('pattern/1', [tool, action, errorClass, ...(project ? [project] : [])]);
}

/** Stands for any action or any error: no program and no class is called like it. */
const ANY = '*';

type EpisodeIdentity = Pick<
  Episode,
  'granularity' | 'tool' | 'coarse' | 'fine' | 'errorClass' | 'template' | 'program' | 'kind'
>;

/** The pattern that an episode belongs to, at its granularity; `project` where it is one of that kind of project alone. */
export function episodeFingerprint(episode: EpisodeIdentity, project?: ProjectKind): string {
  const { granularity, tool, coarse, fine, errorClass, template, program, kind } = episode;
  if (granularity === 'kind') return patternFingerprint({ tool, action: ANY, errorClass: `kind: ${kind ?? ''}` });
  if (granularity === 'program') return patternFingerprint({ tool, action: `${program} ${ANY}`, errorClass: ANY });
  return patternFingerprint({
    tool,
    action: granularity === 'fine' ? fine : coarse,
    errorClass: granularity === 'template' ? `${errorClass}: ${template}` : errorClass,
    ...(project ? { project } : {}),
  });
}

/** All patterns that an episode may count for, its own first: told together with other kinds of project, or apart. */
export function episodeFingerprints(episode: EpisodeIdentity, project: ProjectKind | undefined): string[] {
  const own = episodeFingerprint(episode);
  const isBroad = episode.granularity === 'kind' || episode.granularity === 'program';
  return project === undefined || isBroad ? [own] : [own, episodeFingerprint(episode, project)];
}

/** How an execution remembers that a pattern occurred in it: 64 bits of the fingerprint, as 16 hex digits. */
export function patternKey(fingerprint: string): string {
  return fingerprint.slice('sha256:'.length, 'sha256:'.length + 16);
}

/** Identity of what is proposed against a pattern: a rejected pattern may come back with a different action. */
export function actionFingerprint(how: string, action: string): string {
  return digest('action/1', [how, action]);
}
