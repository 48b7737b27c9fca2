import { formatCount, type OutputOptions, Progress } from './terminal.js';

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
/** The rate of the first seconds says nothing. */
const SETTLED_MS = 3_000;

/** The time left in words, from the time that a part of the bytes took; undefined while it cannot be known. */
export function timeLeft(elapsedMs: number, done: number, total: number): string | undefined {
  if (elapsedMs < SETTLED_MS || done <= 0 || done >= total) return undefined;
  const minutes = Math.ceil((elapsedMs * (total - done)) / done / MINUTE_MS);
  if (minutes <= 1) return 'less than a minute left';
  return minutes < HOUR_MINUTES
    ? `about ${minutes} minutes left`
    : `about ${formatCount(Math.round(minutes / HOUR_MINUTES), 'hour')} left`;
}

/** Bytes in the largest unit that leaves at least one: "512 B", "3.1 MB". */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1_000 ** at;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}

/** Progress through files by their bytes, with the time left. */
export class ByteProgress {
  private readonly began = performance.now();
  private readonly progress: Progress;
  private before = 0;
  private inFile = 0;
  private text = '';

  constructor(
    label: string,
    private readonly total: number,
    output: OutputOptions,
  ) {
    this.progress = new Progress(label, output);
  }

  /** Starts a file after those with `before` bytes together. */
  startFile(before: number, text: string): void {
    this.before = before;
    this.inFile = 0;
    this.text = text;
    this.show();
  }

  /** What is said of the file beside its bytes, from the next time on that they are shown. */
  describe(text: string): void {
    this.text = text;
  }

  /** `bytes`: of the file, as far as it is read. A file can be read several times. */
  read(bytes: number): void {
    if (bytes <= this.inFile) return;
    this.inFile = bytes;
    this.show();
  }

  note(text: string): void {
    this.progress.update(text);
  }

  done(text: string): void {
    this.progress.done(text);
  }

  private show(): void {
    const done = Math.min(this.total, this.before + this.inFile);
    const left = timeLeft(performance.now() - this.began, done, this.total);
    const bytes = `${formatBytes(done)} of ${formatBytes(this.total)}`;
    this.progress.update([this.text, bytes, ...(left === undefined ? [] : [left])].join(', '));
  }
}
