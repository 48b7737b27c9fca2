import type { Danger } from './danger.js';
import { dangersInCommand, PROGRAM_NAMES, PROTECTION_VARIABLES } from './dangers-in-command.js';

/** The longest text, line and command that are read, and how many commands a text may hold. */
const LIMITS = { text: 64 * 1024, command: 400, commands: 300 } as const;

const escaped = (name: string): string => name.replace(/[.+*]/g, '\\$&');
const PROGRAM = new RegExp(
  String.raw`(?<![\w./@-])(?:${[...PROGRAM_NAMES]
    .sort((a, b) => b.length - a.length)
    .map(escaped)
    .join('|')})(?:[\d.]{1,5})?(?=[ \t])`,
  'gi',
);
const VARIABLE = new RegExp(String.raw`\b(?:${PROTECTION_VARIABLES.join('|')})\b`, 'g');
const ASSIGNED = /(?<![\w-])(?:\$env:)?[A-Z][A-Z0-9_]{2,60}=[^\s`'"]{1,200}/g;
const CODE = /`([^`\n]{1,400})`/g;

/**
 * Returns the dangers of the commands that a text mentions, each once: in code between backticks, after the name of a
 * known program, and as assignments. For texts of skills and reports, which hold sentences and commands.
 */
export function dangersInText(text: string): Danger[] {
  const found = new Map<string, Danger>();
  const plain = text
    .slice(0, LIMITS.text)
    .normalize('NFKC')
    // a text processor turns two hyphens into a dash
    .replace(/(?<=^|[\s`])[\u2013\u2014\u2015](?=\w)/g, '--');
  let read = 0;
  const add = (command: string, isProse: boolean): void => {
    read += 1;
    if (read > LIMITS.commands) return;
    for (const danger of dangersInCommand(command, isProse))
      found.set(JSON.stringify([danger.class, danger.program, danger.form]), danger);
  };
  for (const [, code = ''] of plain.matchAll(CODE)) add(code, false);
  // Quotes are apostrophes in a sentence.
  const prose = plain.replace(/['"`]/g, ' ');
  for (const { index } of prose.matchAll(PROGRAM)) add(sentenceFrom(prose, index), true);
  for (const [assignment] of plain.matchAll(ASSIGNED)) add(assignment, true);
  for (const [name] of plain.matchAll(VARIABLE))
    found.set(name, { class: 'protection', program: 'environment', form: name });
  return [...found.values()];
}

/** The text from here to the end of the line or sentence. */
function sentenceFrom(text: string, start: number): string {
  const rest = text.slice(start, start + LIMITS.command);
  const end = /\n|[.;!?](?=\s|$)/.exec(rest);
  return end ? rest.slice(0, end.index) : rest;
}
