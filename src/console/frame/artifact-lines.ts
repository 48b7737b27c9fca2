import { filesOf, SKILL_FILE } from '../../skills/document/bundle.js';
import { type SuspicionKind, suspicions } from '../../untrusted/text/suspicions.js';
import { counted, grouped } from './in-words.js';

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

/** What a suspicious text does. */
export const SUSPICION_TEXTS: Readonly<Record<string, string>> = {
  override: 'asks to ignore instructions',
  'role-marker': 'imitates another speaker',
  persona: 'assigns a role',
  'addressed-to-reader': 'addresses the model or the reviewer',
  'reviewer-bait': 'asks to be approved',
  'prompt-probe': 'asks for the prompt',
  'download-and-run': 'downloads and runs',
  'data-upload': 'uploads data',
  'destructive-command': 'destructive command',
  'skipped-check': 'skips a check',
  'protection-off': 'turns a protection off',
  'foreign-source': 'changes the source of code or credentials',
  'hidden-characters': 'hidden characters',
  'mixed-script': 'mixed scripts',
  link: 'link',
} satisfies Record<SuspicionKind, string>;

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
  const kinds = suspicions(line).map(({ kind }) => SUSPICION_TEXTS[kind]);
  return {
    text,
    trailing: '·'.repeat(line.length - text.length),
    hint: kinds.length > 0 ? `Suspicious line: ${kinds.join(', ')}` : null,
    isHead,
    isBlank: line === '',
  };
}

/**
 * Estimates the tokens of a skill: name and description are in every request, the whole file is read when the skill is
 * used. One token is counted as four characters.
 */
export function costText(artifact: string): string {
  const main = filesOf(artifact).get(SKILL_FILE) ?? '';
  const listed = main.split('\n').filter((line) => /^(?:name|description):/.test(line));
  const whole = grouped(Math.ceil(artifact.length / 4));
  return `≈ ${counted(Math.ceil(listed.join('\n').length / 4), 'token')} per request, ≈ ${whole} more when the skill is used`;
}
