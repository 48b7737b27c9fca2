/** One past the last character of a run: runs are ASCII. */
const ALPHABET = 128;

/** Finds runs of given characters in one pass over a text, without an object per word. */
export class CharacterRuns {
  private readonly belongs = new Uint8Array(ALPHABET);

  /** `characters`: every character that a run may contain, ASCII. */
  constructor(characters: string) {
    for (let at = 0; at < characters.length; at++) this.belongs[characters.charCodeAt(at)] = 1;
  }

  /** Yields the start and end of each maximal run of at least `shortest` characters, in order. */
  *find(text: string, shortest: number): Generator<readonly [start: number, end: number]> {
    for (let start = this.next(text, 0, shortest); start >= 0; ) {
      const end = this.end(text, start);
      yield [start, end];
      start = this.next(text, end, shortest);
    }
  }

  /** True if there is a run of at least `shortest` characters. */
  has(text: string, shortest: number): boolean {
    return this.next(text, 0, shortest) >= 0;
  }

  /**
   * Returns the start of the next run of that length, or -1. `from` is the beginning of a run or lies outside of one.
   * Looks at the last character of a possible run first: if it does not belong, all of them are skipped.
   */
  private next(text: string, from: number, shortest: number): number {
    for (let start = from; start + shortest <= text.length; ) {
      let at = start + shortest - 1;
      while (at >= start && this.belongs[text.charCodeAt(at)] === 1) at--;
      if (at < start) return start;
      start = at + 1;
    }
    return -1;
  }

  private end(text: string, start: number): number {
    let end = start;
    while (end < text.length && this.belongs[text.charCodeAt(end)] === 1) end++;
    return end;
  }
}
