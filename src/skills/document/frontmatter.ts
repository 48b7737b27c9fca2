import { isSkillName } from './slug.js';

/** Limits of the Agent Skills format. Lengths are UTF-16 code units, as in the strictest known reader. */
export const FRONTMATTER_LIMITS = { description: 1_024, compatibility: 500 } as const;

/** The only top-level keys that are written. `allowed-tools` is missing on purpose: readers grant rights by it. */
export interface Frontmatter {
  name: string;
  description: string;
  license?: string;
  compatibility?: string;
  /** Flat, in this order. Keys are `guildbook/` and a lower-case word. */
  metadata: ReadonlyMap<string, string>;
}

const METADATA_KEY = /^guildbook\/[a-z]+(?:-[a-z]+)*$/;

// U+2800 is a blank that Unicode classifies as a symbol.
const SPACE_LIKE = /[\p{Cc}\p{Zl}\p{Zp}\u2800]/gu;

// Default-ignorable covers characters that Cf does not: variation selectors and Hangul fillers can also carry hidden
// text.
const INVISIBLE = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns the text as one trimmed NFC line in which every character is visible, so that a value cannot add lines or
 * hidden text to the frontmatter. Idempotent. Compatibility forms are kept, unlike in stored foreign text, because a
 * reviewer may have meant them.
 */
export function visibleLine(text: string): string {
  return text.replace(SPACE_LIKE, ' ').replace(INVISIBLE, '').normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** `visibleLine` for a line of code: its blanks stay, and so do tabs. */
export function visibleCode(text: string): string {
  const visible = text.replace(SPACE_LIKE, (found) => (found === '\t' ? found : ' ')).replace(INVISIBLE, '');
  return visible.normalize('NFC').trimEnd();
}

/**
 * A YAML scalar that every reader parses as the same one-line string. A JSON string is valid YAML; three hyphens are
 * escaped because the reference parser cuts the file at the first `---`, even inside quotes.
 */
export function quoteScalar(text: string): string {
  return JSON.stringify(visibleLine(text)).replaceAll('---', '\\u002d\\u002d\\u002d');
}

/**
 * Returns the frontmatter block, from its opening to its closing line. This is the only code that writes YAML. Throws
 * TypeError for an invalid record; the caller clips texts that must fit.
 */
export function emitFrontmatter(frontmatter: Frontmatter): string {
  const { name, description, license, compatibility, metadata } = frontmatter;
  if (!isSkillName(name)) throw new TypeError('the name of a skill must be a slug');
  requireText('description', description, FRONTMATTER_LIMITS.description);
  if (/[<>]/.test(description)) throw new TypeError('description must not hold angle brackets');

  const lines = [`name: ${quoteScalar(name)}`, `description: ${quoteScalar(description)}`];
  if (license !== undefined) lines.push(`license: ${quoteScalar(license)}`);
  if (compatibility !== undefined) {
    requireText('compatibility', compatibility, FRONTMATTER_LIMITS.compatibility);
    lines.push(`compatibility: ${quoteScalar(compatibility)}`);
  }
  if (metadata.size > 0) lines.push('metadata:');
  for (const [key, value] of metadata) {
    if (!METADATA_KEY.test(key)) throw new TypeError('a metadata key must be guildbook/ and a lower-case word');
    lines.push(`  ${key}: ${quoteScalar(value)}`);
  }
  return `---\n${lines.join('\n')}\n---\n`;
}

function requireText(field: string, text: string, limit: number): void {
  const length = visibleLine(text).length;
  if (length === 0 || length > limit) throw new TypeError(`${field} must hold 1 to ${limit} characters`);
}
