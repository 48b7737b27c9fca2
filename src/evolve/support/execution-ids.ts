const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const WORDS = 4;
const INITIAL_ROWS = 1_024;

/** The ids of executions by number: 16 bytes for each of the server's ids. Other ids, as in measurements, are kept as text. */
export class ExecutionIds {
  private words = new Uint32Array(WORDS * INITIAL_ROWS);
  private readonly others = new Map<number, string>();

  set(number: number, id: string): void {
    if (!UUID.test(id)) {
      this.others.set(number, id);
      return;
    }
    this.others.delete(number);
    if (WORDS * number >= this.words.length) {
      const more = new Uint32Array(2 * WORDS * (number + 1));
      more.set(this.words);
      this.words = more;
    }
    const digits = id.replaceAll('-', '');
    for (let at = 0; at < WORDS; at += 1)
      this.words[WORDS * number + at] = Number.parseInt(digits.slice(8 * at, 8 * at + 8), 16);
  }

  /** Only of numbers that were set. */
  get(number: number): string {
    const other = this.others.get(number);
    if (other !== undefined) return other;
    const [a, b, c, d] = [
      this.digits(number, 0),
      this.digits(number, 1),
      this.digits(number, 2),
      this.digits(number, 3),
    ];
    return `${a}-${b.slice(0, 4)}-${b.slice(4)}-${c.slice(0, 4)}-${c.slice(4)}${d}`;
  }

  private digits(number: number, at: number): string {
    return (this.words[WORDS * number + at] ?? 0).toString(16).padStart(8, '0');
  }

  delete(number: number): void {
    this.others.delete(number);
  }
}
