import type { Resource } from '@modelcontextprotocol/server';
import { type Skill, type SkillSource, skillEntry } from '@modelcontextprotocol/server/ext/skills';
import { SKILL_FILE } from '../skills/document/bundle.js';

/** A published skill: its name, and its approved files by path. */
export interface SkillFiles {
  readonly name: string;
  readonly files: ReadonlyMap<string, string>;
}

export const SKILL_URI = 'skill://guildbook/';
const PREFIX = 'guildbook';

/**
 * The skills of one caller in the form of the MCP skills extension: each with the hashes of its files, and each file as a
 * resource. `published` runs for every request, so that a retired skill disappears at once.
 */
export function skillSource(published: () => Promise<readonly SkillFiles[]>): SkillSource {
  const entryOf = ({ name, files }: SkillFiles): Promise<Skill> =>
    skillEntry(`${PREFIX}/${name}`, Object.fromEntries(files), { baseUri: SKILL_URI.replace(`${PREFIX}/`, '') });
  const fileAt = async (uri: string): Promise<string | undefined> => {
    const skills = await published();
    for (const { name, files } of skills)
      for (const [path, text] of files) if (uri === `${SKILL_URI}${name}/${path}`) return text;
    return undefined;
  };
  return {
    list: async () => ({ skills: await Promise.all((await published()).map(entryOf)) }),
    get: async (uri) => {
      const skill = (await published()).find(({ name }) => uri === `${SKILL_URI}${name}/${SKILL_FILE}`);
      return skill ? entryOf(skill) : undefined;
    },
    read: async (uri) => {
      const text = await fileAt(uri);
      return text === undefined ? undefined : { text, mimeType: 'text/markdown' };
    },
    listResources: async () =>
      (await Promise.all((await published()).map(async (skill) => resourcesOf(skill, await entryOf(skill))))).flat(),
  };
}

const resourcesOf = ({ name, files }: SkillFiles, { frontmatter }: Skill): Resource[] =>
  [...files.keys()].map((path) => ({
    uri: `${SKILL_URI}${name}/${path}`,
    ...(path === SKILL_FILE ? { name, description: frontmatter.description } : { name: `${name}/${path}` }),
    mimeType: 'text/markdown',
  }));
