import { createHash } from 'node:crypto';
import type { Episode } from './episode.js';
import type { ProjectKind } from './project-kind.js';

/**
 * The identity of a pattern, the same in every cycle: never counts, dates, agents or wording. The purpose is not part
 * of it, because one action serves several purposes and the most frequent one changes between cycles.
 */
export interface PatternIdentity {
  tool: string;
  action: string;
  errorClass: string;
  /** Set if the pattern is separate from the same failure in other kinds of project. */
  project?: ProjectKind;
}

/**
 * `sha256:` + 64 hexadecimal digits. JSON separates the parts, so that no part can imitate the border between two
 * others.
 */
function digest(kind: string, parts: readonly string[]): string {
  return `sha256:${createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest('hex')}`;
}

/** The fingerprint of a failure pattern, stable over cycles and releases. */
export function patternFingerprint({ tool, action, errorClass, project }: PatternIdentity): string {
  return digest('pattern/1', [tool, action, errorClass, ...(project ? [project] : [])]);
}

type EpisodeIdentity = Pick<Episode, 'tool' | 'coarse' | 'errorClass' | 'template'>;

/**
 * The fingerprint of the pattern that an episode belongs to: action, error class and template. `project`: only if the
 * pattern is specific to that kind of project.
 */
export function episodeFingerprint(episode: EpisodeIdentity, project?: ProjectKind): string {
  return classFingerprint({ ...episode, errorClass: `${episode.errorClass}: ${episode.template}` }, project);
}

/** That of the pattern of all errors of its class. Private lessons, promotion and the effect use classes. */
export function classFingerprint(
  { tool, coarse, errorClass }: Omit<EpisodeIdentity, 'template'>,
  project?: ProjectKind,
): string {
  return patternFingerprint({ tool, action: coarse, errorClass, ...(project ? { project } : {}) });
}

/**
 * The fingerprints of all patterns that an episode may count for: of its template and its class, for all kinds of project
 * and for its kind.
 */
export function episodeFingerprints(episode: EpisodeIdentity, project: ProjectKind | undefined): string[] {
  const general = [classFingerprint(episode), episodeFingerprint(episode)];
  if (project === undefined) return general;
  return [...general, classFingerprint(episode, project), episodeFingerprint(episode, project)];
}

/** The fingerprint of a family of failures. `key`: what identifies it; `value`: set if it was split off by that value. */
export function familyFingerprint(key: string, value?: string): string {
  return digest('family/1', [key, ...(value === undefined ? [] : [value])]);
}

/** The key of a pattern in an execution's row: 64 bits of the fingerprint, as 16 hexadecimal digits. */
export function patternKey(fingerprint: string): string {
  return fingerprint.slice('sha256:'.length, 'sha256:'.length + 16);
}

/** The fingerprint of a proposed action. A rejected pattern may be proposed again with a different action. */
export function actionFingerprint(how: string, action: string): string {
  return digest('action/1', [how, action]);
}

/** The key of what is different about a try, as the learning core names it: 64 bits, which say nothing of its values. */
export function featureKey(feature: string): string {
  return patternKey(digest('feature/1', [feature]));
}

/** The fingerprint of a remedy that one run shows, by the key that the learning core gives it. */
export function remedyFingerprint(key: string): string {
  return actionFingerprint('learned', key);
}
