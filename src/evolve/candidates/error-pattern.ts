import { LONGEST_PATTERN } from '../../evidence/predicate/pattern.js';
import { escapePattern } from '../../evidence/predicate/pattern-text.js';

/** What stands in a template for a name, a path or a number. */
const PLACEHOLDER = /\[(?:name|path|url|email|id|n|version|file|dir|word|text)\]/;
/** A name with a long number is that of one customer, order or card. */
const ID = /\b[a-z]{1,20}(?:_[a-z]{1,20}){0,4}_\d{4,20}\b/gi;
/** A pattern with fewer letters would match errors of any kind. */
const FEWEST_LETTERS = 6;

/** Returns the patterns of a template that name the value, in the place of one placeholder each, the last one first. */
export function valuePatterns(template: string, value: string): string[] {
  const places = template.split(PLACEHOLDER).length - 1;
  return Array.from({ length: places }, (_, at) => places - at).flatMap(
    (at) => templatePattern(template, value, at) ?? [],
  );
}

/**
 * Returns the pattern of a template: its literal parts, joined by `.*`, with the value in one place. Undefined if the
 * template says too little.
 */
export function templatePattern(template: string, value?: string, place = 1): string | undefined {
  const parts = template
    .replace(ID, '[id]')
    .split(PLACEHOLDER)
    .map((part) => part.replace(/\s{1,200}/g, ' '));
  const letters = parts.join('').replace(/[^\p{L}]/gu, '').length;
  if (letters < FEWEST_LETTERS) return undefined;
  let pattern = '';
  for (const [at, part] of parts.entries()) {
    const gap = at === 0 ? '' : at === place && value !== undefined ? `.*${escapePattern(value)}.*` : '.*';
    const next = part.trim() === '' ? gap : `${gap}${escapePattern(part)}`;
    if (pattern.length + next.length > LONGEST_PATTERN) break;
    pattern += next;
  }
  return pattern.replace(/^(?:\.\*){1,9}|(?:\.\*){1,9}$/g, '').replace(/(?:\.\*){2,9}/g, '.*') || undefined;
}

/** Returns the words that all these error lines hold in the same order, joined by `.*`; undefined if they say too little. */
export function sharedPattern(errors: readonly string[]): string | undefined {
  const [first, ...rest] = [...new Set(errors)].sort().slice(0, 12).map(tokensOf);
  if (first === undefined) return undefined;
  let shared = first;
  for (const tokens of rest) shared = commonTokens(shared, tokens);
  const letters = shared.join('').replace(/[^\p{L}]/gu, '').length;
  if (letters < FEWEST_LETTERS) return undefined;
  let pattern = '';
  for (const token of shared.map(escapePattern)) {
    if (pattern.length + token.length + 2 > LONGEST_PATTERN) break;
    pattern += pattern === '' ? token : `.*${token}`;
  }
  return pattern;
}

const tokensOf = (line: string): string[] => line.slice(0, 300).match(/[\p{L}_]{2,40}/gu) ?? [];

/** The longest common subsequence of two short lists. */
function commonTokens(a: readonly string[], b: readonly string[]): string[] {
  const lengths: number[][] = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (row) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const found: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      found.push(a[i] ?? '');
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return found;
}
