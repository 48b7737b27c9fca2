import { messageOf } from '../../src/platform/base/error-text.js';

export interface SectionFigures {
  checks: number;
  failed: number;
  seconds: number;
  [figure: string]: unknown;
}

/** Counts and prints the checks of one section. A failed check does not end its section. */
export class Checks {
  readonly figures: SectionFigures = { checks: 0, failed: 0, seconds: 0 };
  readonly notTried: string[] = [];

  constructor(
    private readonly section: string,
    /** Only what takes seconds. */
    readonly quick: boolean,
  ) {}

  /** Runs one check, which throws if it fails. Returns its result; undefined after a failure. */
  async check<T>(name: string, run: () => Promise<T> | T): Promise<T | undefined> {
    this.figures.checks += 1;
    const began = performance.now();
    try {
      const result = await run();
      console.log(`  ok      ${this.section}: ${name} (${secondsSince(began)} s)`);
      return result;
    } catch (error) {
      this.figures.failed += 1;
      console.log(`  FAILED  ${this.section}: ${name}\n${indent(messageOf(error))}`);
      return undefined;
    }
  }

  /** Names what could not be tried on this machine, and why. */
  skip(what: string, reason: string): void {
    this.notTried.push(`${this.section}: ${what} (${reason})`);
    console.log(`  not tried  ${this.section}: ${what} (${reason})`);
  }

  /** Records a figure for the last line, such as seconds or megabytes. */
  figure(name: string, value: number | string): void {
    this.figures[name] = value;
  }
}

/** Throws with both values if they differ. */
export function expectSame(actual: unknown, wanted: unknown, what: string): void {
  const [found, expected] = [JSON.stringify(actual), JSON.stringify(wanted)];
  if (found !== expected) throw new Error(`${what}: expected ${expected}, found ${found}`);
}

/** Throws with the text if the pattern is missing in it. */
export function expectText(text: string, pattern: RegExp | string, what: string): void {
  if (typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text)) return;
  throw new Error(`${what}: ${String(pattern)} is missing in:\n${text}`);
}

export const secondsSince = (began: number): number => Math.round((performance.now() - began) / 100) / 10;

function indent(text: string): string {
  return text.replace(/^/gm, '          ');
}
