import { isReference, SKILL_FILE } from './bundle.js';
import {
  COPILOT_PLUGIN_PATH,
  copilotPlugin,
  MANIFEST_PATHS,
  MARKETPLACE_PATH,
  marketplaceManifest,
} from './marketplace.js';
import { type ListedSkill, README_PATH, repositoryReadme } from './repository-readme.js';
import { isSkillName } from './slug.js';

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

// The pages of a long list.
const INDEX_PAGE = /^\.index\/[a-z0-9-]+\.md$/;

/** True for a path that a file of a skill, or a generated one, can have. */
export function isPublishablePath(path: string): boolean {
  if (path === README_PATH || MANIFEST_PATHS.has(path) || INDEX_PAGE.test(path)) return true;
  const slash = path.indexOf('/');
  const [name, file] = [path.slice(0, slash), path.slice(slash + 1)];
  return slash > 0 && isSkillName(name) && (file === SKILL_FILE || isReference(file));
}

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
