import { FifoCache } from '../../platform/background/fifo-cache.js';
import { LinearPattern } from '../../untrusted/text/linear-pattern.js';
import { plainPattern } from './pattern-text.js';

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

const patterns = new FifoCache<Pattern>(512);
const problems = new FifoCache<string | undefined>(512);

/** Returns the pattern of a source in RE2 syntax. Throws RangeError for one that {@link patternProblem} refuses. */
export const compilePattern = (source: string): Pattern => compiled(source, source);

/** Returns the pattern that must match a whole text, such as the name of a tool. Throws as {@link compilePattern}. */
export const compileWholePattern = (source: string): Pattern => compiled(source, `^(?:${source})$`);

function compiled(source: string, pattern: string): Pattern {
  return patterns.getOrCreate(pattern, () => {
    const problem = patternProblem(source);
    if (problem !== undefined) throw new RangeError(`The pattern ${problem}.`);
    const engine = new LinearPattern(FLAGS + pattern);
    return {
      test: (text) => engine.test(text),
      firstGroup: (text) => {
        const match = engine.next(text, 0);
        return match && text.slice(match.secretStart, match.secretEnd);
      },
    };
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
