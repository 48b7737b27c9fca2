import { MARKETPLACE_PATH, marketplaceManifest } from './marketplace.js';
import { type ListedSkill, repositoryReadme } from './repository-readme.js';

/**
 * Files beside the skills in the published repository: path → text, the same for the same skills. `skills` are sorted
 * by name. There is no LICENSE: no manifest rule requires one, and the organisation decides on its terms. A LICENSE
 * that a person commits is kept.
 */
export function repositoryFiles(skills: readonly ListedSkill[]): Map<string, string> {
  return new Map([
    [MARKETPLACE_PATH, marketplaceManifest(skills.map(({ name }) => name))],
    ...repositoryReadme(skills),
  ]);
}
