import { isSkillName } from './slug.js';

/** Bounds of the Agent Skills format (formats A1). Lengths are UTF-16 code units, the strictest of the readers seen. */
export const FRONTMATTER_LIMITS = { description: 1_024, compatibility: 500 } as const;

/** The only top-level keys we ever write. `allowed-tools` is missing on purpose: it grants rights (formats A6). */
export interface Frontmatter {
  name: string;
  description: string;
  license?: string;
  compatibility?: string;
  /** Flat, in this order; keys are `guildbook/` and a lower-case word. */
  metadata: ReadonlyMap<string, string>;
}

const METADATA_KEY = /^guildbook\/[a-z]+(?:-[a-z]+)*$/;

// U+2800 is a blank that Unicode counts as a symbol.
const SPACE_LIKE = /[\p{Cc}\p{Zl}\p{Zp}\u2800]/gu;

// Default-ignorable covers what Cf does not: variation selectors and Hangul fillers can carry hidden text too.
const INVISIBLE = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The text as one trimmed NFC line with every character visible; a fixpoint (threats 6, "YAML frontmatter"). Unlike
 * the form in which foreign text is stored it keeps compatibility forms: a reviewer may have meant them.
 */
export function visibleLine(text: string): string {
  return text.replace(SPACE_LIKE, ' ').replace(INVISIBLE, '').normalize('NFC').replace(/\s+/g, ' ').trim();
}

/**
 * A YAML scalar that every reader takes as the same one-line string. A JSON string is valid YAML; three hyphens are
 * written as escapes because the reference parser cuts the file at the first `---` it sees, even inside quotes.
 */
export function quoteScalar(text: string): string {
  return JSON.stringify(visibleLine(text)).replaceAll('---', '\\u002d\\u002d\\u002d');
}

/**
 * The frontmatter block, from its opening to its closing line. The one emitter: nothing else writes YAML here.
 * Throws TypeError on a record that no reader should be shown; text that must fit is cut before it comes here.
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
