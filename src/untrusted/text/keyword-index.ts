import { sumBy } from '../../platform/base/sum.js';

/** One past the last character of a keyword: keywords are ASCII. */
const ALPHABET = 128;

/** Receives the keyword's index in the given list and the offset at which the occurrence ends. */
export type OnKeyword = (keyword: number, end: number) => void;

/**
 * Finds every occurrence of many keywords in one pass over a text, ignoring case (Aho and Corasick 1975). Written here
 * because the packages available match whole graphemes: a combining mark after a keyword would hide it. Keywords are
 * lower-case ASCII.
 */
export class KeywordIndex {
  /** The next state by state and character, with all failure links resolved. */
  private readonly next: Int32Array;
  /** The keywords that end in each state. */
  private readonly found: readonly (readonly number[])[];

  constructor(keywords: readonly string[]) {
    const states = 1 + sumBy(keywords, (keyword) => keyword.length);
    const next = new Int32Array(states * ALPHABET);
    const found: number[][] = [[]];
    keywords.forEach((keyword, number) => {
      let state = 0;
      for (let at = 0; at < keyword.length; at++) {
        const edge = state * ALPHABET + keyword.charCodeAt(at);
        if (next[edge] === 0) next[edge] = found.push([]) - 1;
        state = next[edge] ?? 0;
      }
      found[state]?.push(number);
    });
    addFailureLinks(next, found);
    for (let state = 0; state < found.length; state++) {
      for (let letter = 65; letter <= 90; letter++) {
        next[state * ALPHABET + letter] = next[state * ALPHABET + letter + 32] ?? 0;
      }
    }
    this.next = next;
    this.found = found;
  }

  scan(text: string, onKeyword: OnKeyword): void {
    const { next, found } = this;
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      state = code < ALPHABET ? (next[state * ALPHABET + code] ?? 0) : 0;
      if (state === 0) continue;
      const ending = found[state];
      if (ending === undefined) continue;
      for (let n = 0; n < ending.length; n++) onKeyword(ending[n] ?? 0, at + 1);
    }
  }
}

/** Breadth first: a missing edge leads where the longest proper suffix of the state leads. */
function addFailureLinks(next: Int32Array, found: number[][]): void {
  const suffix = new Int32Array(found.length);
  const queue: number[] = [];
  for (let code = 0; code < ALPHABET; code++) if (next[code]) queue.push(next[code] ?? 0);
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head] ?? 0;
    const shorter = suffix[state] ?? 0;
    found[state]?.push(...(found[shorter] ?? []));
    for (let code = 0; code < ALPHABET; code++) {
      const edge = state * ALPHABET + code;
      const child = next[edge] ?? 0;
      const viaSuffix = next[shorter * ALPHABET + code] ?? 0;
      if (child === 0) next[edge] = viaSuffix;
      else {
        suffix[child] = viaSuffix;
        queue.push(child);
      }
    }
  }
}
