import { clip } from '../../untrusted/text/clip.js';
import { visibleLine } from './frontmatter.js';
import {
  COPILOT_PLUGIN_PATH,
  copilotPlugin,
  MARKETPLACE_NAME,
  MARKETPLACE_PATH,
  marketplaceManifest,
  PLUGIN_NAME,
} from './marketplace.js';
import { neutralise } from './neutralise.js';

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

/** A skill in the list of the repository's README. */
export interface ListedSkill {
  readonly name: string;
  /** From its frontmatter; empty if that cannot be read. */
  readonly description: string;
}

export const README_PATH = 'README.md';

// A longer index is split into pages, so that a publication rewrites one page only.
const INLINE_ROWS = 200;
// A page ends after a name whose hash is a multiple of this. Pages have about as many rows, and a new skill changes
// only its own page.
const PAGE_ROWS = 128;
const DESCRIPTION_LENGTH = 240;

const HEAD = '| Skill | What it is for |\n|---|---|\n';

const INTRODUCTION = `# Guildbook skills

What the agents of this organisation learned, as [Agent Skills](https://agentskills.io). Each skill was proposed from
executions of several agents, and a person read and approved exactly the bytes that are published here. One commit is
one decision: its author is the reviewer, its date the time of the decision, and its message names the approval.

Guildbook writes these files. An external edit is not lost, but it is not approved: propose the change in Guildbook
instead.

## Install

\`REPOSITORY\` stands for the address of this git repository, or for the folder of a clone.

| Agent | How |
|---|---|
| Claude Code | \`claude plugin marketplace add REPOSITORY\`, then \`claude plugin install ${PLUGIN_NAME}@${MARKETPLACE_NAME}\` |
| Codex | \`codex plugin marketplace add REPOSITORY\`, then \`codex plugin add ${PLUGIN_NAME}@${MARKETPLACE_NAME}\` |
| Copilot CLI | \`copilot plugin marketplace add REPOSITORY\`, then \`copilot plugin install ${PLUGIN_NAME}@${MARKETPLACE_NAME}\` |
| Gemini CLI | \`gemini skills install REPOSITORY --consent\` |
| OpenCode | \`{ "skills": { "paths": ["REPOSITORY"] } }\` in \`opencode.json\`, with the folder of a clone |
| Any other | \`npx skills add REPOSITORY --skill '*'\` |
`;

/**
 * README.md and, for many skills, the pages of its index: path → text. `skills` are sorted by name. The same skills
 * give the same files. Descriptions are neutralised: they cannot add links, tags or columns.
 */
export function repositoryReadme(skills: readonly ListedSkill[]): Map<string, string> {
  if (skills.length <= INLINE_ROWS) {
    const table =
      skills.length === 0 ? 'None is published.\n' : `${HEAD}${skills.map((skill) => rowOf(skill, '')).join('')}`;
    return new Map([[README_PATH, `${INTRODUCTION}\n## Skills (${skills.length})\n\n${table}`]]);
  }
  const pages = pagesOf(skills);
  const rows = pages.map(({ first, last, path, size }) => `| [${first} to ${last}](${path}) | ${size} |\n`);
  const readme = `${INTRODUCTION}\n## Skills (${skills.length})\n\n| From, to | Skills |\n|---|---|\n${rows.join('')}`;
  return new Map([[README_PATH, readme], ...pages.map(({ path, text }): [string, string] => [path, text])]);
}

interface ReadmePage {
  first: string;
  last: string;
  size: number;
  path: string;
  text: string;
}

function pagesOf(skills: readonly ListedSkill[]): ReadmePage[] {
  const pages: ReadmePage[] = [];
  let start = 0;
  for (const [index, skill] of skills.entries()) {
    if (index + 1 < skills.length && !entryOf(skill).endsPage) continue;
    pages.push(pageOf(skills.slice(start, index + 1)));
    start = index + 1;
  }
  return pages;
}

// With thousands of skills nearly every page is unchanged since the last publication. The cache affects only the time.
const pagesByFirst = new WeakMap<ListedSkill, { members: readonly ListedSkill[]; page: ReadmePage }>();
const entries = new WeakMap<ListedSkill, ListEntry>();

interface ListEntry {
  text: string;
  endsPage: boolean;
}

function entryOf(skill: ListedSkill): ListEntry {
  const known = entries.get(skill);
  if (known) return known;
  const text = neutralise(clip(visibleLine(skill.description), DESCRIPTION_LENGTH)).replaceAll('|', '&#124;');
  const entry = { text, endsPage: hash(skill.name) % PAGE_ROWS === 0 };
  entries.set(skill, entry);
  return entry;
}

function pageOf(members: readonly ListedSkill[]): ReadmePage {
  const [first] = members;
  const last = members.at(-1);
  if (!first || !last) throw new TypeError('a page has at least one skill');
  const before = pagesByFirst.get(first);
  if (before?.members.length === members.length && before.members.every((skill, index) => skill === members[index])) {
    return before.page;
  }
  const rows = members.map((skill) => rowOf(skill, '../')).join('');
  const page = {
    first: first.name,
    last: last.name,
    size: members.length,
    // The leading dot separates it from skill names and hides it from readers that look for `*/SKILL.md`.
    path: `.index/${first.name}.md`,
    text: `# Skills from ${first.name} to ${last.name}\n\n${HEAD}${rows}`,
  };
  pagesByFirst.set(first, { members, page });
  return page;
}

function rowOf(skill: ListedSkill, folder: '' | '../'): string {
  return `| [${skill.name}](${folder}${skill.name}/SKILL.md) | ${entryOf(skill).text} |\n`;
}

/** FNV-1a, 32 bits. It only distributes names; it protects nothing. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}
