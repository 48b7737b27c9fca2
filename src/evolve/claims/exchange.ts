/** What an action puts in the place of what: "Run `a` instead of `b`" drops the parts of `b` and adds those of `a`. */
export interface Exchange {
  readonly added: ReadonlySet<string>;
  readonly dropped: ReadonlySet<string>;
}

const EXCHANGE = /`([^`]{1,200})` (?:instead of|rather than|in place of) `([^`]{1,200})`/gi;

/** Reads the exchanges of two pieces of code that a text asks for. Linear in the text, which is cut at 4,000 characters. */
export function exchangesIn(text: string): Exchange[] {
  return [...text.slice(0, 4_000).matchAll(EXCHANGE)].map(([, chosen = '', rejected = '']) => {
    const [wanted, refused] = [partsOf(chosen), partsOf(rejected)];
    return { added: without(wanted, refused), dropped: without(refused, wanted) };
  });
}

/**
 * Returns whether two actions undo each other: one only leaves parts out that the other only puts in, such as the folder
 * before a path. Both share most words, so word overlap alone takes them for one remedy. Symmetric.
 */
export function undoEachOther(a: readonly Exchange[], b: readonly Exchange[]): boolean {
  return a.some((own) => b.some((other) => reverses(own, other) || reverses(other, own)));
}

function reverses(a: Exchange, b: Exchange): boolean {
  return a.added.size === 0 && b.dropped.size === 0 && [...a.dropped].some((part) => b.added.has(part));
}

/** The words of a call, and the folders of its paths. A placeholder such as `<folder>` stays one part. */
function partsOf(code: string): ReadonlySet<string> {
  return new Set(code.split(/[\s/]+/).filter((part) => part !== '' && !JOINING.has(part)));
}

/** What joins two commands is no part of either. */
const JOINING = new Set(['&&', '||', ';', '|']);

function without(parts: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...parts].filter((part) => !others.has(part)));
}
