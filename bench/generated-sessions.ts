import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOREIGN_FORMATS, type ForeignFormat, type Session, type Step } from '../test/support/foreign-sessions.js';
import { SeededRandom } from './seeded-random.js';

const PROJECTS = 40;
const POOL_WORDS = 200_000;
const WORDS =
  'the report closes month ledger invoice table index value column retry cache build stage of for in with'.split(' ');
/** Failures as programs print them; `#` becomes a number. */
const ERRORS = [
  'Exit code 1\n  File "close.py", line #\n    print f"{total}"\nSyntaxError: invalid syntax',
  'Exit code 1\nTraceback (most recent call last):\n  File "report.py", line #\nModuleNotFoundError: No module named \'pandas\'',
  'Exit code 127\nbash: line #: docker-compose: command not found',
  'Exit code 2\nmake: *** [Makefile:#: deploy] Error 2',
  'Exit code 1\nnpm error code ERESOLVE\nnpm error could not resolve dependency # of react',
];
const COMMANDS = [
  'python close.py --month #',
  'python3 report.py --month # --format csv',
  'docker-compose up -d db-#',
  'make deploy STAGE=stage-#',
  'npm install && npm test -- --shard #',
];

/** Sessions as agents record them: mostly the output of successful commands, some failures, some written files. */
export class GeneratedSessions {
  private readonly random: SeededRandom;
  private readonly pool: string;
  private made = 0;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
    this.pool = this.pooled(POOL_WORDS);
  }

  next(): Session {
    this.made += 1;
    const steps = Array.from({ length: 5 + this.below(36) }, () => this.step());
    return {
      id: `session-${this.made}`,
      task: `Task ${this.made}: ${this.text(40)}`,
      steps,
      answer: 'Done',
      end: 'normal',
    };
  }

  private step(): Step {
    if (this.below(6) === 0)
      return {
        tool: 'Write',
        input: { file_path: `/srv/shop/part-${this.below(99)}.md`, content: this.text(50 + this.below(800)) },
        output: 'File created',
      };
    const input = { command: this.numbered(COMMANDS) };
    return this.below(5) === 0
      ? { tool: 'Bash', input, error: this.numbered(ERRORS) }
      : { tool: 'Bash', input, output: this.text(20 + this.below(2_000)) };
  }

  private numbered(of: readonly string[]): string {
    return (of[this.below(of.length)] ?? '').replaceAll('#', String(this.below(500)));
  }

  /** A part of one long text, so that a gigabyte takes seconds. */
  private text(words: number): string {
    const length = words * 6;
    const from = this.below(Math.max(1, this.pool.length - length));
    return this.pool.slice(from, from + length);
  }

  private pooled(words: number): string {
    const parts = Array.from({ length: words }, () => WORDS[this.below(WORDS.length)] ?? '');
    return parts.map((word, n) => (n % 12 === 11 ? `${word} ${this.below(10_000)}\n` : word)).join(' ');
  }

  private below(limit: number): number {
    return Math.floor(this.random.uniform() * limit);
  }
}

export interface WrittenFiles {
  readonly files: number;
  readonly bytes: number;
}

/** Writes one session to a file, in every format in turn, until the files have so many bytes together. */
export function writeFolder(folder: string, bytes: number, sessions: GeneratedSessions): WrittenFiles {
  let [files, written] = [0, 0];
  for (; written < bytes; files += 1) {
    const format = FOREIGN_FORMATS[files % FOREIGN_FORMATS.length];
    if (format === undefined) break;
    const session = sessions.next();
    const text = `${format.lines(session).join('\n')}\n`;
    const project = join(folder, `project-${files % PROJECTS}`, format.importer.format);
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, `${session.id}.${format.byLine ? 'jsonl' : 'json'}`), text);
    written += Buffer.byteLength(text);
  }
  return { files, bytes: written };
}

/** Writes sessions of Claude Code one after the other into one file. */
export function writeOneFile(file: string, bytes: number, sessions: GeneratedSessions): WrittenFiles {
  const format = FOREIGN_FORMATS.find(({ importer }: ForeignFormat) => importer.format === 'claude-code');
  let written = 0;
  writeFileSync(file, '');
  while (format !== undefined && written < bytes) {
    const text = `${format.lines(sessions.next()).join('\n')}\n`;
    writeFileSync(file, text, { flag: 'a' });
    written += Buffer.byteLength(text);
  }
  return { files: 1, bytes: written };
}
