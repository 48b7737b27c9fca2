import { gzipSync } from 'node:zlib';
import { sha256 } from '../../platform/base/canonical-json.js';
import { compareText } from '../../platform/base/compare-text.js';
import { filesOf, SKILL_FILE } from '../document/bundle.js';
import { FRONTMATTER_LIMITS } from '../document/frontmatter.js';
import { isSkillName } from '../document/slug.js';
import { readFrontmatter } from '../document/validate.js';

/**
 * A skill that is in git: its name and description from the frontmatter, and the SHA-256 of the approved text, 64
 * lower-case hex digits.
 */
export interface PublishedSkill {
  readonly name: string;
  readonly description: string;
  readonly artifactSha256: string;
  /** For a skill of several files: their paths, and the SHA-256 of the archive. */
  readonly archive?: { readonly files: readonly string[]; readonly sha256: string };
}

interface WellKnownEntry {
  readonly name: string;
  readonly type: 'skill-md' | 'archive';
  readonly description: string;
  /** Relative to the index, so that it works behind any host name and prefix. */
  readonly url: string;
  /** `sha256:` and the hash of the bytes at `url`. */
  readonly digest: string;
  /**
   * Not in version 0.2.0 of the discovery format, which ignores unknown fields. OpenCode reads version 0.1 and needs
   * it.
   */
  readonly files: readonly string[];
}

interface WellKnownIndex {
  readonly $schema: typeof WELL_KNOWN_SCHEMA;
  readonly skills: readonly WellKnownEntry[];
}

/** Clients ignore an index with another schema address as an unknown format. */
export const WELL_KNOWN_SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

/** The archive beside the SKILL.md of a skill with several files. */
export const ARCHIVE_FILE = 'skill.tar.gz';

/** Derives the index entry of a skill from its approved text. */
export function publishedSkill(name: string, artifact: string): PublishedSkill {
  const { entries } = readFrontmatter(artifact);
  const description = entries.find(({ group, key }) => group === 'top' && key === 'description')?.value ?? '';
  const files = filesOf(artifact);
  const skill = { name, description, artifactSha256: sha256(artifact) };
  if (files.size === 1) return skill;
  return { ...skill, archive: { files: [...files.keys()], sha256: sha256(archiveOf(files)) } };
}

/**
 * Builds the index of agent-skills-discovery-rfc 0.2.0, sorted by name, for
 * `<anything>/.well-known/agent-skills/index.json`. The server has each SKILL.md at `<name>/SKILL.md` beside it, and
 * the archive of a skill with several files, which is installed as an archive. `npx skills` and OpenCode read the same
 * index. Throws TypeError for a skill that no client would accept.
 */
export function wellKnownIndex(skills: readonly PublishedSkill[]): WellKnownIndex {
  const entries = skills.map(entryOf).sort((a, b) => compareText(a.name, b.name));
  const duplicate = entries.find(({ name }, index) => entries[index + 1]?.name === name);
  if (duplicate) throw new TypeError(`${duplicate.name} is listed twice`);
  return { $schema: WELL_KNOWN_SCHEMA, skills: entries };
}

function entryOf({ name, description, artifactSha256, archive }: PublishedSkill): WellKnownEntry {
  if (!isSkillName(name)) throw new TypeError('the name of a skill must be a slug');
  const digest = archive?.sha256 ?? artifactSha256;
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new TypeError('the digest must be 64 hex digits');
  if (description.length === 0 || description.length > FRONTMATTER_LIMITS.description) {
    throw new TypeError(`description must hold 1 to ${FRONTMATTER_LIMITS.description} characters`);
  }
  return {
    name,
    type: archive ? 'archive' : 'skill-md',
    description,
    url: `${name}/${archive ? ARCHIVE_FILE : SKILL_FILE}`,
    digest: `sha256:${digest}`,
    files: archive?.files ?? [SKILL_FILE],
  };
}

const BLOCK = 512;

/** Returns the files as .tar.gz with SKILL.md at the root. The same files give the same bytes on every machine. */
export function archiveOf(files: ReadonlyMap<string, string>): Buffer {
  const parts = [...files].flatMap(([path, text]) => {
    const bytes = Buffer.from(text);
    return [header(path, bytes.length), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  // Stored without compression and without an operating system, because compressed bytes may differ between versions of
  // a library.
  const archive = gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 0 });
  archive[9] = 255;
  return archive;
}

/** A ustar header of a plain file: owner and group 0, readable by all, without a date. */
function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(path, 0);
  block.write(octal(0o644, 7) + octal(0, 7) + octal(0, 7) + octal(size, 11) + octal(0, 11), 100);
  block.write('        0', 148);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)} `, 148);
  return block;
}
