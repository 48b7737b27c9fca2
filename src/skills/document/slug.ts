/** The longest skill name of the Agent Skills format, in characters. */
export const SKILL_NAME_LIMIT = 64;

const SHAPE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

// Windows opens a device for a file of this name in any folder, so a clone could not be checked out there.
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

// Products read these folders of a plugin's root as something else: each file in `commands` is a command in Claude Code.
const PART_OF_A_PLUGIN =
  /^(?:agents|bin|commands|extensions|hooks|lsp|mcp|modes|monitors|output-styles|plugins|policies|prompts|rules|scripts|settings|skills|themes|tools|workflows)$/;

const isReserved = (name: string): boolean => DEVICE.test(name) || PART_OF_A_PLUGIN.test(name);

/**
 * True for a name that is safe as a folder, a git path and a URL segment: lower-case ASCII words joined by single
 * hyphens, 1 to 64 characters, neither a Windows device nor a part of
 * a plugin. The reference validator accepts any Unicode letter; ASCII alone
 * excludes look-alikes of a published name.
 */
export function isSkillName(name: string): boolean {
  return name.length <= SKILL_NAME_LIMIT && SHAPE.test(name) && !isReserved(name);
}

/**
 * Makes a skill name from any title; the result always passes {@link isSkillName}. `disambiguator` (such as the first
 * characters of a hash) is kept up to 16 characters; the words are shortened to fit.
 */
export function skillSlug(title: string, disambiguator = ''): string {
  const suffix = asciiWords(disambiguator).replaceAll('-', '').slice(0, 16);
  const room = SKILL_NAME_LIMIT - (suffix === '' ? 0 : suffix.length + 1);
  const words = cutAtWord(asciiWords(title), room) || 'skill';
  const name = suffix === '' ? words : `${words}-${suffix}`;
  return isReserved(name) ? `skill-${name}` : name;
}

function asciiWords(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

function cutAtWord(words: string, room: number): string {
  if (words.length <= room) return words;
  const cut = words.slice(0, room);
  const lastHyphen = words.charAt(room) === '-' ? -1 : cut.lastIndexOf('-');
  return (lastHyphen > 0 ? cut.slice(0, lastHyphen) : cut).replace(/-$/, '');
}
