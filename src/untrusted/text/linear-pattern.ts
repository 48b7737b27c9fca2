import { RE2JS } from 're2js';

/** The position of a match and of the secret in it: the first group that matched, or the whole match. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  readonly secretStart: number;
  readonly secretEnd: number;
}

/**
 * A pattern in RE2 syntax, matched in time linear in the text for any pattern and any text. Compiled on first use,
 * because a process uses few of the hundreds of rules.
 */
export class LinearPattern {
  private compiled: RE2JS | undefined;

  constructor(readonly source: string) {}

  private get engine(): RE2JS {
    this.compiled ??= RE2JS.compile(this.source);
    return this.compiled;
  }

  /** How many groups the pattern captures. */
  get groups(): number {
    return this.engine.groupCount();
  }

  /** The instructions of the compiled pattern: a match costs at most this many steps for each character. */
  get size(): number {
    return this.engine.programSize();
  }

  /** True if the pattern matches anywhere. Uses an automaton without groups, many times faster than `next`. */
  test(text: string): boolean {
    return this.engine.test(text);
  }

  /**
   * Returns the first match at or after `from`. Finding groups is slow, so the automaton tests first whether there is a
   * match.
   */
  next(text: string, from: number): PatternMatch | undefined {
    // Includes one character before `from`, so that the middle of a word does not count as the beginning of one.
    if (!this.test(from === 0 ? text : text.slice(from - 1))) return undefined;
    const matcher = this.engine.matcher(text);
    if (!matcher.find(from)) return undefined;
    const start = matcher.start();
    const end = matcher.end();
    for (let group = 1; group <= matcher.groupCount(); group++) {
      const [secretStart, secretEnd] = [matcher.start(group), matcher.end(group)];
      if (secretStart >= 0 && secretEnd > secretStart) return { start, end, secretStart, secretEnd };
    }
    return { start, end, secretStart: start, secretEnd: end };
  }
}
