import { FifoCache } from '../../platform/background/fifo-cache.js';
import { LinearPattern } from '../../untrusted/text/linear-pattern.js';
import { foldCase, holdsWord, isAscii, plainPattern, requiredTexts } from './pattern-text.js';
import { TextTable } from './text-table.js';

/** The longest regular expression of a predicate. */
export const LONGEST_PATTERN = 200;

/**
 * The largest compiled pattern, in instructions of RE2. Each character of a text costs at most one step for each, so
 * that nested repetitions of a short pattern would take seconds for one execution.
 */
const LARGEST_PROGRAM = 400;

/** Without case; `.` also matches line breaks. */
const FLAGS = '(?is)';

/** One regular expression of a predicate. Compiled once for all predicates that hold it. */
export interface Pattern {
  /** Returns whether the pattern matches anywhere in the text. Linear in the text. */
  test(text: string): boolean;
  /** Returns what the first group of the first match holds; undefined without a match. */
  firstGroup(text: string): string | undefined;
}

const patterns = new FifoCache<CompiledPattern>(512);
const problems = new FifoCache<string | undefined>(512);
const texts = new TextTable();

/** Returns the pattern of a source in RE2 syntax. Throws RangeError for one that {@link patternProblem} refuses. */
export function compilePattern(source: string): Pattern {
  return patterns.getOrCreate(source, () => {
    const problem = patternProblem(source);
    if (problem !== undefined) throw new RangeError(`The pattern ${problem}.`);
    return new CompiledPattern(source, `${FLAGS}${source}`);
  });
}

/** Returns the pattern that must match a whole text, such as the name of a tool. Throws as {@link compilePattern}. */
export function compileWholePattern(source: string): Pattern {
  return patterns.getOrCreate(`whole ${source}`, () => {
    const problem = patternProblem(source);
    if (problem !== undefined) throw new RangeError(`The pattern ${problem}.`);
    return new CompiledPattern('', `${FLAGS}^(?:${source})$`);
  });
}

/** Returns why a pattern is refused, as the end of a sentence; undefined if it is accepted. Never throws. */
export function patternProblem(source: string): string | undefined {
  if (source === '') return 'is empty';
  if (source.length > LONGEST_PATTERN) return `is longer than ${LONGEST_PATTERN} characters`;
  return problems.getOrCreate(source, () => problemOf(source));
}

function problemOf(source: string): string | undefined {
  if (plainPattern(source) !== undefined) return undefined;
  try {
    if (new LinearPattern(FLAGS + source).size <= LARGEST_PROGRAM) return undefined;
    return 'repeats too much; use shorter repetitions';
  } catch (error) {
    if (/\(\?<?[=!]/.test(source)) return 'has a look-around, which the linear-time engine (RE2) does not support';
    if (/\\[1-9]/.test(source)) return 'has a back reference, which the linear-time engine (RE2) does not support';
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'unknown reason';
    return `is no regular expression of RE2: ${reason.replace(FLAGS, '')}`;
  }
}

/** Returns whether the pattern of a source that is accepted captures a group. */
export function hasGroup(source: string): boolean {
  return source.includes('(') && plainPattern(source) === undefined && new LinearPattern(source).groups > 0;
}

/** Results by number of the text: not tested, false, true. */
const [UNKNOWN, NO, YES] = [0, 1, 2];

class CompiledPattern implements Pattern {
  private readonly engine: LinearPattern;
  private readonly fast: ((text: string) => boolean) | undefined;
  private readonly required: readonly string[];
  private results = new Uint8Array(64);
  private generation = texts.generation;

  /** `source`: what the fast paths are read from; empty if the compiled pattern says more. */
  constructor(source: string, compiled: string) {
    this.engine = new LinearPattern(compiled);
    this.fast = fastTest(source);
    this.required = this.fast ? [] : requiredTexts(source);
  }

  test(text: string): boolean {
    const known = texts.numberOf(text);
    if (this.generation !== texts.generation) {
      this.results = new Uint8Array(64);
      this.generation = texts.generation;
    }
    if (known >= this.results.length) this.grow(known);
    const result = this.results[known] ?? UNKNOWN;
    if (result !== UNKNOWN) return result === YES;
    const matches = this.matches(text, texts.foldedOf(known, text));
    this.results[known] = matches ? YES : NO;
    return matches;
  }

  firstGroup(text: string): string | undefined {
    const match = this.test(text) ? this.engine.next(text, 0) : undefined;
    return match && text.slice(match.secretStart, match.secretEnd);
  }

  private matches(text: string, folded: string): boolean {
    if (this.fast) return this.fast(folded);
    if (this.required.length > 0 && !this.required.some((one) => folded.includes(one))) return false;
    return this.engine.test(text);
  }

  private grow(known: number): void {
    const grown = new Uint8Array(Math.max(known + 1, this.results.length * 2));
    grown.set(this.results);
    this.results = grown;
  }
}

/** The test of a pattern that stands for a text or a word, on a text in the form of {@link foldCase}. */
function fastTest(source: string): ((folded: string) => boolean) | undefined {
  const plain = plainPattern(source);
  if (plain === undefined || !isAscii(plain.text)) return undefined;
  const text = foldCase(plain.text);
  return plain.kind === 'word' ? (folded) => holdsWord(folded, text) : (folded) => folded.includes(text);
}
