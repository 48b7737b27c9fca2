import { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { mayOverwriteLines } from '../../platform/config/environment.js';
import { escapeInvisible } from '../../untrusted/text/escape-invisible.js';
import { type CommandProcess, commandProcess, type Output } from './command-process.js';

/** What a command prints beside its result. */
export interface OutputOptions {
  json?: boolean;
  quiet?: boolean;
}

/** A line for a person, with control characters escaped: text from the server may come from anyone. */
export function print(text = '', style?: Style): void {
  const escaped = escapeInvisible(text);
  commandProcess().stdout.write(`${style === undefined ? escaped : styled(style, escaped)}\n`);
}

/** A line on standard error; `label` is a word of ours before it. */
export function printError(text: string, label = ''): void {
  const { stderr } = commandProcess();
  const shown = label === '' ? '' : styled('bold', styled('red', label, stderr), stderr);
  stderr.write(`${shown}${escapeInvisible(text)}\n`);
}

/** Prints JSON, which never has a style. */
export function printJson(value: unknown): void {
  commandProcess().stdout.write(`${jsonText(value)}\n`);
}

export function printErrorJson(value: unknown): void {
  commandProcess().stderr.write(`${jsonText(value)}\n`);
}

/** `JSON.stringify` does not escape C1 controls and bidi marks, which also steer a terminal. */
const jsonText = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/[^\n -~]/gu, (character) =>
    isVisible(character) ? character : escaped(character),
  );

const isVisible = (character: string): boolean => escapeInvisible(character) === character;
const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, unit) => character.charCodeAt(unit))
    .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
    .join('');

/** Escapes line breaks and tabs: in text from outside, a line break could forge a line of ours. */
export function oneLine(text: string): string {
  return escapeInvisible(text).replaceAll('\n', '\\u{0a}').replaceAll('\t', '\\u{09}');
}

/** A number with its noun: "1 file", "2 files". `plural` is for nouns that do not form it with an "s". */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** The minute (UTC) of the last use of a credential, for a list; empty if the server does not report it. */
export function lastUsed({ lastUsedAt }: { lastUsedAt?: string | null }): string {
  return lastUsedAt ? lastUsedAt.slice(0, 16).replace('T', ' ') : lastUsedAt === null ? 'never' : '';
}

interface CredentialSummary {
  readonly disabledAt: string | null;
  readonly tokenExpiresAt?: string | null;
  readonly hasToken?: boolean;
}

/** The day (UTC) on which a token expires, for a list. */
export function tokenExpiry({ disabledAt, tokenExpiresAt, hasToken }: CredentialSummary): string {
  if (disabledAt) return 'disabled';
  return hasToken === false ? 'none' : (tokenExpiresAt?.slice(0, 10) ?? 'never');
}

/** Ends without an error if the reader of the output stops early, as in `guildbook journal | head`. */
export function endQuietlyWithReader(given: CommandProcess): void {
  given.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') given.exit(0);
    throw error;
  });
}

type Cell = string | number;

/** Formats a table: columns as wide as their widest cell, numbers aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return tableLines(head, rows).join('\n');
}

/** Prints a table with its head and some cells in a style. The cells are escaped before. */
export function printTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  styleOf: (cell: string, column: string) => Style | undefined,
): void {
  const paint = (text: string, row: number, column: number): string => {
    const style = row === 0 ? 'bold' : styleOf(text.trim(), head[column] ?? '');
    return style === undefined ? text : styled(style, text);
  };
  commandProcess().stdout.write(`${tableLines(head, rows, paint).join('\n')}\n`);
}

function tableLines(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  paint = (text: string, _row: number, _column: number): string => text,
): string[] {
  const cells = [head, ...rows.map((row) => row.map((cell) => oneLine(String(cell))))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const isNumber = head.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'));
  return cells.map((row, at) => {
    const last = row.findLastIndex((cell) => cell.trim() !== '');
    const padded = row.slice(0, last + 1).map((cell, column) => {
      const width = widths[column] ?? 0;
      return paint(
        isNumber[column] ? cell.padStart(width) : column === last ? cell.trimEnd() : cell.padEnd(width),
        at,
        column,
      );
    });
    return padded.join('  ');
  });
}

/** Prints a table of the first rows, and how many more there are; nothing without rows. */
export function printRows(
  title: string,
  head: readonly string[],
  all: readonly (readonly (string | number)[])[],
  rows: number,
): void {
  if (all.length === 0) return;
  print(title === '' ? '' : `\n${title}`);
  print(table(head, all.slice(0, rows)));
  if (all.length > rows) print(`… and ${all.length - rows} more: --all prints them.`);
}

/** Shows progress: one line that is overwritten on a terminal, a line every two seconds elsewhere, or nothing. */
export class Progress {
  private lastWritten = 0;
  private wide = 0;
  private readonly output = commandProcess().stderr;
  private readonly overwrites = this.output.isTTY === true && mayOverwriteLines(commandProcess().env);
  private readonly isQuiet: boolean;

  constructor(
    private readonly label: string,
    { json = false, quiet = false }: OutputOptions = {},
  ) {
    // A script that reads JSON reads an error, if anything, from standard error.
    this.isQuiet = json || quiet;
  }

  update(text: string): void {
    if (this.isQuiet) return;
    if (this.overwrites) {
      const line = oneLine(`${this.label}: ${text}`).slice(0, (this.output.columns ?? 80) - 1);
      this.output.write(`\r${line.padEnd(this.wide)}`);
      this.wide = line.length;
      return;
    }
    const now = performance.now();
    if (now - this.lastWritten < 2_000) return;
    this.lastWritten = now;
    this.output.write(`${oneLine(`${this.label}: ${text}`)}\n`);
  }

  done(text: string): void {
    if (this.isQuiet) return;
    const line = oneLine(`${this.label}: ${text}`);
    this.output.write(this.overwrites ? `\r${line.padEnd(this.wide)}\n` : `${line}\n`);
  }
}

type Style = 'bold' | 'red' | 'green' | 'yellow' | 'cyan';

/** Text in a style if the output is a terminal with colours, and unchanged otherwise. Escape the text before. */
const styled = (style: Style, text: string, output: Output = commandProcess().stdout): string =>
  hasColours(output) ? styleText(style, text, { validateStream: false }) : text;

/** The rule of Node.js, which reads NO_COLOR, FORCE_COLOR, TERM and CI, for the environment of the command. */
function hasColours({ isTTY }: Output): boolean {
  const { env } = commandProcess();
  return (env['FORCE_COLOR'] !== undefined || isTTY === true) && WriteStream.prototype.getColorDepth(env) > 2;
}

const STYLES: Readonly<Record<string, Style>> = {
  high: 'red',
  medium: 'yellow',
  'tested on other runs': 'green',
  refuted: 'red',
};

/** The style of a risk or of the verdict of a check, where it should catch the eye. */
export const verdictStyle = (word: string): Style | undefined => STYLES[word];
