import { parseCommandLine, type SimpleCommand } from '../../untrusted/shell/command-line.js';
import { commandReported } from '../../untrusted/shell/given-command.js';
import { EMPTY, isMasked, TEXT } from './tokens.js';

/** A command line as tokens. */
export interface ShellLine {
  readonly tokens: readonly string[];
  readonly starts: readonly number[];
  /** The program of the main command. */
  readonly program: string;
  /** True if the end of the line is not that of its main command. */
  readonly isHidden: boolean;
  readonly isEdit: boolean;
  /** The file that its output is written to, without folders, if it is one. */
  readonly edits?: string | undefined;
}

/** They only show or end what stands before them, so that the goal of a line is without them. */
export const FILTERS = /^(?:head|tail|grep|egrep|wc|sort|less|more|cat|tee|uniq|sed|awk|cut|tr|true|echo|exit|:)$/;
const PRINTS = /^(?:echo|printf|cat|:)$/;
/** They say where and how the commands behind them run. */
export const SETS_UP = /^(?:cd|pushd|export|set|source|\.)$/;
const WRAPPER = /^(?:sudo|env|time|nohup|exec|command)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const LONGEST_WORD = 120;

/** Settings of a call beside its command line, as a comment behind it: `# run_in_background=true`. */
const SETTINGS = /\s#((?:\s[A-Za-z]\w{1,40}=[\w-]{1,40}){1,8})$/;
export const SETTING = '#';

/** Reads a command line; some agents send it as JSON, or as a list of words. */
export function shellLine(action: string): ShellLine {
  const settings = SETTINGS.exec(action)?.[1]?.trim().split(' ') ?? [];
  const commands = parseCommandLine(commandReported(action)).filter(({ words }) => words.length > 0);
  let isHidden = false;
  while (commands.length > 1 && FILTERS.test(programOf(commands.at(-1)?.words[0]?.text ?? ''))) {
    if (commands.pop()?.joiner !== '&&') isHidden = true;
  }
  isHidden ||= commands.slice(1).some(({ joiner }) => joiner !== '&&' && joiner !== '&');
  const tokens: string[] = [];
  const starts: number[] = [];
  for (const command of commands) {
    if (tokens.length > 0) tokens.push(command.joiner || ';');
    starts.push(tokens.length);
    tokens.push(...command.words.flatMap(({ text, code, quoted }) => (code ? [TEXT] : wordTokens(text, quoted))));
    if (command.heredoc) tokens.push(TEXT);
    // What it prints is there to be written.
    const target = PRINTS.test(command.words[0]?.text ?? '') ? command.redirects.find(isWrite) : undefined;
    if (target !== undefined) tokens.push(target.operator, target.target);
  }
  if (settings.length > 0) tokens.push(SETTING, ...settings);
  const main = commands.find(({ words }) => !SETS_UP.test(words[0]?.text ?? '')) ?? commands[0];
  return {
    tokens,
    starts,
    program: headOf(main?.words.map(({ text }) => text) ?? []),
    isHidden,
    isEdit: commands.some(changesFiles),
    edits: writtenFile(commands),
  };
}

/** The name of a program, without folder and version; of a script its kind: `*.py`. */
export function programOf(word: string): string {
  const base = word.slice(word.lastIndexOf('/') + 1).toLowerCase();
  if (/^\.{0,2}\/.{0,300}\.\w{1,4}$/.test(word)) return `*${base.slice(base.lastIndexOf('.'))}`;
  return /^([a-z]{3,40}?)-?\d{1,4}(?:\.\d{1,4}){0,3}$/.exec(base)?.[1] ?? base;
}

/** The program behind variables and wrappers. */
function headOf(words: readonly string[]): string {
  const at = words.findIndex((word, index) => {
    if (ASSIGNMENT.test(word) || WRAPPER.test(word)) return false;
    return words[index - 1] !== 'timeout' && word !== 'timeout';
  });
  return programOf(words[at] ?? '');
}

/** What a shell reads as an operator or a pattern unless it is quoted. */
const SPECIAL = /[*?{}[\]$!#~&|;<>()]/;

/** `--depth=2` and `SIGN=1` are two tokens; prose and code are one. Quotes stay where the word needs them. */
function wordTokens(word: string, isQuoted: boolean): string[] {
  if (word === '') return [EMPTY];
  if (word.length > LONGEST_WORD || /\n|\S\s+\S/.test(word)) return [TEXT];
  if (isQuoted && SPECIAL.test(word) && !isMasked(word) && !word.includes("'")) return [`'${word}'`];
  const [, name, value] = /^(-{1,2}[\w-]{2,60}=|[A-Za-z_]\w{0,60}=)(.{0,120})$/s.exec(word) ?? [];
  if (name === undefined || value === undefined) return [word];
  return value === '' ? [name] : [name, value];
}

function writtenFile(commands: readonly SimpleCommand[]): string | undefined {
  const targets = commands.flatMap(({ redirects }) => redirects.filter(isWrite).map(({ target }) => target));
  const edited = commands.filter(({ redirects, ...command }) => changesFiles({ ...command, redirects: [] }));
  const [target] = targets;
  return targets.length === 1 && edited.length === 0 ? target?.slice(target.lastIndexOf('/') + 1) : undefined;
}

const isWrite = ({ operator, target }: SimpleCommand['redirects'][number]): boolean =>
  /^1?>>?$/.test(operator) && !target.startsWith('/dev/');

function changesFiles({ words, redirects }: SimpleCommand): boolean {
  const [program = '', second = ''] = words.map(({ text }) => text);
  if (redirects.some(isWrite)) return true;
  if (program === 'sed') return words.some(({ text }) => /^-\w{0,3}i/.test(text));
  if (program === 'git') return /^(?:apply|checkout|stash|reset|restore)$/.test(second);
  return program === 'patch' || program === 'tee' || program === 'apply_patch';
}
