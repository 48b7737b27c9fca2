import { RE2JS } from 're2js';

/** Where a pattern matched, and where in it the secret stands: the first group that took part, or all of it. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  readonly secretStart: number;
  readonly secretEnd: number;
}

/**
 * A pattern in RE2's syntax on an engine whose time grows with the text alone, whatever the pattern and the text
 * (decision 20). Compiled when it is first needed: of hundreds, a process uses few.
 */
export class LinearPattern {
  private compiled: RE2JS | undefined;

  constructor(readonly source: string) {}

  private get engine(): RE2JS {
    this.compiled ??= RE2JS.compile(this.source);
    return this.compiled;
  }

  /** Whether it matches anywhere: an automaton without groups, many times faster than `next`. */
  test(text: string): boolean {
    return this.engine.test(text);
  }

  /** The first match from `from` on. Finding groups is slow, so the automaton is asked first whether there is any. */
  next(text: string, from: number): PatternMatch | undefined {
    // One character more, so that a word which began before is no beginning of a word here.
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
