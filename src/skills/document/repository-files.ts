import { COPILOT_PLUGIN_PATH, copilotPlugin, MARKETPLACE_PATH, marketplaceManifest } from './marketplace.js';
import { type ListedSkill, repositoryReadme } from './repository-readme.js';

/**
 * Files beside the skills in the published repository: path → text, the same for the same skills. `skills` are sorted
 * by name. There is no LICENSE: no manifest rule requires one, and the organisation decides on its terms. A LICENSE
 * that a person commits is kept.
 */
export function repositoryFiles(skills: readonly ListedSkill[]): Map<string, string> {
  return new Map([
    [MARKETPLACE_PATH, marketplaceManifest(skills.map(({ name }) => name))],
    [COPILOT_PLUGIN_PATH, copilotPlugin()],
    ...repositoryReadme(skills),
  ]);
}

/** Files that an organisation may add: the terms under which it distributes its skills. */
export const KEPT_FILES: ReadonlySet<string> = new Set(['LICENSE']);

/**
 * True for a path that no folder of a person can get from a clone: git and file systems read other folders for it, or
 * the repository's own.
 */
export function isStrangePath(path: string): boolean {
  const isStrange = (segment: string) => segment === '' || /^\.{1,2}$/.test(segment) || GIT_FOLDER.test(segment);
  return UNUSUAL.test(path) || path.split('/').some(isStrange);
}

// `.git` in every spelling that a file system takes for it.
const GIT_FOLDER = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i;
// A backslash separates folders on Windows. Characters without a shape are ignored in names on macOS.
const UNUSUAL = /[\\\p{Cc}\p{Cf}\ufffd]/u;
