import { foldCase } from './pattern-text.js';

/** How many texts, and characters of them, are numbered before the table starts again. */
const LIMITS = { texts: 50_000, characters: 8_000_000 } as const;

/**
 * Numbers texts, so that each pattern can keep one byte for each text that it was tested on: a check asks the same
 * patterns about the same calls hundreds of times. Bounded: a full table is emptied, and a new generation begins.
 */
export class TextTable {
  private readonly numbers = new Map<string, number>();
  private folded: (string | undefined)[] = [];
  private characters = 0;
  private current = 0;

  /** Numbers of an earlier generation mean other texts. */
  get generation(): number {
    return this.current;
  }

  /** May begin a new generation: ask for it afterwards. */
  numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    if (this.numbers.size >= LIMITS.texts || this.characters + text.length > LIMITS.characters) this.empty();
    this.characters += text.length;
    this.numbers.set(text, this.numbers.size);
    return this.numbers.size - 1;
  }

  /** The text in the form of {@link foldCase}. */
  foldedOf(number: number, text: string): string {
    const folded = this.folded[number] ?? foldCase(text);
    this.folded[number] = folded;
    return folded;
  }

  private empty(): void {
    this.numbers.clear();
    this.folded = [];
    this.characters = 0;
    this.current += 1;
  }
}
