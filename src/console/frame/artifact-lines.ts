import { filesOf, SKILL_FILE } from '../../skills/document/bundle.js';
import { suspicions } from '../../untrusted/text/suspicions.js';
import { countHighlights } from '../texts/highlights.js';
import { say } from '../texts/texts.js';

export interface Line {
  readonly text: string;
  /** Trailing blanks, shown as dots because they would be invisible. */
  readonly trailing: string;
  /** Why the line is suspicious; null for most lines. */
  readonly hint: string | null;
  /** Part of the frontmatter, which is shown less prominently. */
  readonly isHead: boolean;
  readonly isBlank: boolean;
}

export interface ShownFile {
  readonly path: string;
  readonly isMain: boolean;
  readonly lines: readonly Line[];
}

/** Splits the artifact into its files and lines. Every character is kept, in order. */
export function filesShown(artifact: string): ShownFile[] {
  return [...filesOf(artifact)].map(([path, text]) => {
    const lines = text.replace(/\n$/, '').split('\n');
    const end = path === SKILL_FILE && lines[0] === '---' ? lines.indexOf('---', 1) : -1;
    return { path, isMain: path === SKILL_FILE, lines: lines.map((line, index) => lineOf(line, index <= end)) };
  });
}

function lineOf(line: string, isHead: boolean): Line {
  const text = line.replace(/[ \t]{1,200}$/, '');
  const kinds = suspicions(line).map(({ kind }) => say(`suspicion.${kind}`));
  return {
    text,
    trailing: '·'.repeat(line.length - text.length),
    hint: kinds.length > 0 ? say('review.suspicious-line', { kinds: kinds.join(', ') }) : null,
    isHead,
    isBlank: line === '',
  };
}

/** The number of highlighted pieces in the whole artifact. */
export const countHighlightsIn = (artifact: string): number => countHighlights(artifact);

/**
 * Estimates the tokens of a skill: name and description are in every request, the whole file is read when the skill is
 * used. One token is counted as four characters.
 */
export function costOf(artifact: string): { readonly listed: number; readonly whole: number } {
  const main = filesOf(artifact).get(SKILL_FILE) ?? '';
  const listed = main.split('\n').filter((line) => /^(?:name|description):/.test(line));
  return { listed: Math.ceil(listed.join('\n').length / 4), whole: Math.ceil(artifact.length / 4) };
}
