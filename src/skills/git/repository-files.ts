import { MARKETPLACE_PATH, marketplaceManifest } from './marketplace.js';
import { type ListedSkill, repositoryReadme } from './repository-readme.js';

/**
 * What stands beside the skills in the published repository: path → text, the same for the same skills. `skills` are
 * sorted by name. There is no LICENSE: no manifest rule asks for one, and under which terms an organisation hands out
 * its skills is not ours to say; one that is committed by hand stays.
 */
export function repositoryFiles(skills: readonly ListedSkill[]): Map<string, string> {
  return new Map([
    [MARKETPLACE_PATH, marketplaceManifest(skills.map(({ name }) => name))],
    ...repositoryReadme(skills),
  ]);
}
