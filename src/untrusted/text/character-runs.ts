/** One past the last character that can belong to a run: runs are ASCII. */
const ALPHABET = 128;

/** Stretches of text that consist of certain characters alone, found in one pass and without an object for each word. */
export class CharacterRuns {
  private readonly belongs = new Uint8Array(ALPHABET);

  /** `characters`: all that a run may hold, ASCII. */
  constructor(characters: string) {
    for (let at = 0; at < characters.length; at++) this.belongs[characters.charCodeAt(at)] = 1;
  }

  /** Whole runs of at least `shortest` characters, in order, each as where it starts and ends. */
  *find(text: string, shortest: number): Generator<readonly [start: number, end: number]> {
    for (let start = this.next(text, 0, shortest); start >= 0; ) {
      const end = this.end(text, start);
      yield [start, end];
      start = this.next(text, end, shortest);
    }
  }

  /** Whether there is a run of at least `shortest` characters. */
  has(text: string, shortest: number): boolean {
    return this.next(text, 0, shortest) >= 0;
  }

  /** Where the next run of that length starts; -1 where none does. `from` is at a run's beginning, or outside of one. */
  private next(text: string, from: number, shortest: number): number {
    let start = from;
    for (let at = from; at < text.length; at++) {
      if (this.belongs[text.charCodeAt(at)] !== 1) start = at + 1;
      else if (at - start + 1 === shortest) return start;
    }
    return -1;
  }

  private end(text: string, start: number): number {
    let end = start;
    while (end < text.length && this.belongs[text.charCodeAt(end)] === 1) end++;
    return end;
  }
}
