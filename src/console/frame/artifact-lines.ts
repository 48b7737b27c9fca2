import { filesOf, SKILL_FILE } from '../../skills/document/bundle.js';
import { suspicions } from '../../untrusted/text/suspicions.js';
import { countHighlights } from '../texts/highlights.js';
import { say } from '../texts/texts.js';

export interface Line {
  readonly text: string;
  /** Spaces at its end, which nobody would see. */
  readonly trailing: string;
  /** Why to look twice; null for most lines. */
  readonly hint: string | null;
  /** The frontmatter, which agents are always given and which says little. */
  readonly isHead: boolean;
  readonly isBlank: boolean;
}

export interface ShownFile {
  readonly path: string;
  readonly isMain: boolean;
  readonly lines: readonly Line[];
}

/** The artifact as its files and lines: every character of it, in order. */
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
    hint: kinds.length > 0 ? say('packet.suspicious-line', { kinds: kinds.join(', ') }) : null,
    isHead,
    isBlank: line === '',
  };
}

/** How many characters of the whole artifact are marked. */
export const countHighlightsIn = (artifact: string): number => countHighlights(artifact);

/** What a skill costs: its name and description in every request, all of it when it is used. A quarter of the characters. */
export function costOf(artifact: string): { readonly listed: number; readonly whole: number } {
  const main = filesOf(artifact).get(SKILL_FILE) ?? '';
  const listed = main.split('\n').filter((line) => /^(?:name|description):/.test(line));
  return { listed: Math.ceil(listed.join('\n').length / 4), whole: Math.ceil(artifact.length / 4) };
}
