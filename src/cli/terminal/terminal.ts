import { escapeInvisible } from '../../untrusted/text/escape-invisible.js';

/** Writes lines for a person. Everything goes through `visible`: text of the server may come from anywhere. */
export function print(text = ''): void {
  process.stdout.write(`${escapeInvisible(text)}\n`);
}

export function printError(text: string): void {
  process.stderr.write(`${escapeInvisible(text)}\n`);
}

/** JSON leaves what is above ASCII as it is, and the C1 controls and bidi marks among it steer a terminal, too. */
export function printJson(value: unknown): void {
  const json = JSON.stringify(value, null, 2);
  process.stdout.write(
    `${json.replace(/[^\n -~]/gu, (character) => (isVisible(character) ? character : escaped(character)))}\n`,
  );
}

const isVisible = (character: string): boolean => escapeInvisible(character) === character;
const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, unit) => character.charCodeAt(unit))
    .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
    .join('');

/** Text from outside that stands in a line of ours: a line break in it would forge a line. */
export function oneLine(text: string): string {
  return escapeInvisible(text).replaceAll('\n', '\\u{0a}').replaceAll('\t', '\\u{09}');
}

/** A number with its noun: "1 file", "2 files". */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The minute (UTC) in which a credential was last used, for a list; a server of before does not say. */
export function lastUsed({ lastUsedAt }: { lastUsedAt?: string | null }): string {
  return lastUsedAt ? lastUsedAt.slice(0, 16).replace('T', ' ') : lastUsedAt === null ? 'never' : '';
}

interface CredentialSummary {
  readonly disabledAt: string | null;
  readonly tokenExpiresAt?: string | null;
  readonly hasToken?: boolean;
}

/** The day (UTC) on which a token ends, for a list; a server of before does not say whether there is one. */
export function tokenUntil({ disabledAt, tokenExpiresAt, hasToken }: CredentialSummary): string {
  if (disabledAt) return 'disabled';
  return hasToken === false ? 'none' : (tokenExpiresAt?.slice(0, 10) ?? 'rotated');
}

/** Whoever reads our output may stop early (`guildbook journal | head`): that is no error. */
export function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/** Columns as wide as their widest cell; numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => oneLine(String(cell))))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const isNumber = head.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'));
  return cells
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return isNumber[column] ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A line that overwrites itself on a terminal, and a line now and then elsewhere. Ends with `done`. */
export class Progress {
  private lastWritten = 0;
  private wide = 0;

  constructor(private readonly label: string) {}

  update(text: string): void {
    if (process.stderr.isTTY) {
      const line = oneLine(`${this.label}: ${text}`).slice(0, (process.stderr.columns ?? 80) - 1);
      process.stderr.write(`\r${line.padEnd(this.wide)}`);
      this.wide = line.length;
      return;
    }
    const now = performance.now();
    if (now - this.lastWritten < 2_000) return;
    this.lastWritten = now;
    process.stderr.write(`${oneLine(`${this.label}: ${text}`)}\n`);
  }

  done(text: string): void {
    const line = oneLine(`${this.label}: ${text}`);
    process.stderr.write(process.stderr.isTTY ? `\r${line.padEnd(this.wide)}\n` : `${line}\n`);
  }
}
