import { lineOfTokens } from '../calls/tokens.js';
import type { Item, Pattern } from './pattern.schema.js';

/** A walk of two lists has to go back where a variable may stand for many tokens. */
const MOST_STEPS = 20_000;

/**
 * What the variables stand for if each text is of its pattern; undefined if it is not. A variable stands for the same
 * tokens in all places. `closed`: the only values of a variable. Linear but for variables of any length, with a limit.
 */
export function matchesOf(
  patterns: readonly Pattern[],
  texts: readonly (readonly string[])[],
  closed: Readonly<Record<string, readonly string[]>> = {},
): ReadonlyMap<string, string> | undefined {
  const bound = new Map<string, string>();
  let steps = 0;
  const from = (part: number, item: number, at: number): boolean => {
    steps += 1;
    if (steps > MOST_STEPS) return false;
    const [pattern, text] = [patterns[part], texts[part]];
    if (pattern === undefined || text === undefined) return true;
    const one = pattern[item];
    if (one === undefined) return at === text.length && from(part + 1, 0, 0);
    if (typeof one === 'string') return text[at] === one && from(part, item + 1, at + 1);
    if ('any' in one) {
      for (let end = at; end <= text.length && steps <= MOST_STEPS; end += 1, steps += 1)
        if (binds(one.any, lineOfTokens(text.slice(at, end)), () => from(part, item + 1, end))) return true;
      return false;
    }
    const value = valueIn(one, text[at]);
    return value !== undefined && binds('part' in one ? one.part : one.one, value, () => from(part, item + 1, at + 1));
  };
  const binds = (name: string, value: string, then: () => boolean): boolean => {
    const known = bound.get(name);
    if (known !== undefined) return known === value && then();
    if (closed[name]?.includes(value) === false) return false;
    bound.set(name, value);
    if (then()) return true;
    bound.delete(name);
    return false;
  };
  return from(0, 0, 0) ? bound : undefined;
}

function valueIn(item: Exclude<Item, string | { any: string }>, token: string | undefined): string | undefined {
  if (token === undefined || 'one' in item) return token;
  const { before, after } = item;
  const isPart = token.length > before.length + after.length && token.startsWith(before) && token.endsWith(after);
  return isPart ? token.slice(before.length, token.length - after.length) : undefined;
}

/** The tokens that a pattern has as written. */
export const literals = (pattern: Pattern): string[] => pattern.filter((item) => typeof item === 'string');

/** A variable for any number of tokens. */
export const isAny = (item: Item): item is Extract<Item, { any: string }> => typeof item === 'object' && 'any' in item;

/** The names of its variables. */
export const variablesOf = (pattern: Pattern): string[] =>
  pattern.flatMap((item) => {
    if (typeof item === 'string') return [];
    return 'one' in item ? item.one : 'any' in item ? item.any : item.part;
  });

/** A pattern as a line: each variable is `<name>`. */
export const patternLine = (pattern: Pattern): string => lineOfTokens(pattern.map(itemText));

export function itemText(item: Item): string {
  if (typeof item === 'string') return item;
  if ('one' in item) return `<${item.one}>`;
  return 'any' in item ? `<${item.any}>` : `${item.before}<${item.part}>${item.after}`;
}
