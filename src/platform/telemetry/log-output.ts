import { fstatSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { reasonOf } from '../start/start.errors.js';
import { count } from './metrics.js';

const NEWLINE = Buffer.from('\n');

type Done = (error?: Error | null) => void;
type Stream = Pick<NodeJS.WriteStream & { readonly fd: 1 | 2 }, 'fd' | 'on' | 'removeAllListeners' | 'write'>;

/** Logs, on the same output, how many lines were lost and why. */
type Tell = (lost: number, reason: string) => void;

/**
 * An output of this process whose failures are counted and never thrown. Node gives a file up after its first failed
 * write, so that a file is written here: it takes lines again when its disk has space.
 */
export class LogOutput {
  /** Why the last write failed; undefined if it did not. */
  failure: string | undefined;
  private lost = 0;
  /** The last line was written in part: the next one begins after a line break. */
  private isCut = false;
  private isTelling = false;
  private readonly isFile: boolean;

  constructor(
    private readonly stream: Stream,
    private readonly tell: Tell,
  ) {
    const { fd } = stream;
    const found = fstatSync(fd);
    this.isFile = found.isFile() || (found.isCharacterDevice() && !isatty(fd));
    // The command line ends with the reader of its output; a server does not.
    stream.removeAllListeners('error').on('error', (error) => this.settle(error, 0));
    const write = stream.write.bind(stream);
    const guarded = (chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk);
      const tellCaller = typeof encoding === 'function' ? encoding : done;
      if (!this.isFile)
        return write(bytes, (error) => {
          this.settle(error, linesOf(bytes));
          tellCaller?.();
        });
      this.writeFile(bytes);
      if (tellCaller !== undefined) process.nextTick(tellCaller);
      return true;
    };
    // The type of the method has overloads; all their forms are handled.
    stream.write = guarded as typeof stream.write;
  }

  /** Tries to write again after a failure: a server without work logs nothing that would find out. */
  retry(): void {
    if (this.failure !== undefined && this.isFile) this.tellLost(this.failure);
  }

  private writeFile(bytes: Buffer): void {
    let written = 0;
    try {
      if (this.isCut) writeSync(this.stream.fd, NEWLINE);
      this.isCut = false;
      while (written < bytes.length) written += writeSync(this.stream.fd, bytes, written);
      this.settle(null, 0);
    } catch (error) {
      this.isCut ||= written > 0;
      this.settle(error, linesOf(bytes));
    }
  }

  private settle(error: unknown, lines: number): void {
    const failure = this.failure;
    if (error) {
      this.failure ??= reasonOf(error);
      this.lost += lines;
      count('guildbook_log_lines_lost_total', {}, lines);
      return;
    }
    this.failure = undefined;
    if (failure !== undefined && !this.isTelling) this.tellLost(failure);
  }

  private tellLost(reason: string): void {
    const lost = this.lost;
    this.lost = 0;
    this.isTelling = true;
    this.tell(lost, reason);
    this.isTelling = false;
    // The sentence itself is not counted.
    if (this.failure !== undefined) this.lost = lost;
  }
}

const linesOf = (bytes: Buffer): number => bytes.toString('latin1').split('\n').length - 1 || 1;

/** Both outputs of a server; empty in a process that is none. */
const outputs: LogOutput[] = [];

/** From now on, a log that cannot be written does not end this process. */
export function keepRunningWithoutLog(log: { warn(text: string): void; error(text: string): void }): void {
  const sentence = (lost: number, reason: string) =>
    `${lost} log ${lost === 1 ? 'line was' : 'lines were'} lost (${reason})`;
  outputs.push(
    new LogOutput(process.stdout, (lost, reason) => log.warn(sentence(lost, reason))),
    new LogOutput(process.stderr, (lost, reason) => log.error(sentence(lost, reason))),
  );
}

/** Throws if lines of the log are lost at the moment. */
export function requireLog(): void {
  for (const output of outputs) output.retry();
  const failure = outputs.map((output) => output.failure).find((reason) => reason !== undefined);
  if (failure !== undefined) throw new Error(failure);
}
