import { lineOfTokens } from '../calls/tokens.js';
import { aligned } from '../recoveries/alignment.js';
import { isAny } from './matching.js';
import type { Item, Pattern } from './pattern.schema.js';

/** Patterns of several texts with shared variables, and what each case has in the place of a variable. */
export interface Generalised {
  readonly parts: readonly Pattern[];
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** More values side by side are a list, the same number of which is chance. */
const MOST_APART = 3;

/** Joins the parts of one token. */
const GLUE = '\u2060';

/**
 * The least general generalisation of cases, each a list of texts: the tokens that all cases share, in their order.
 * Between them is a variable only where cases differ; the same values in two places, also of two texts, are one variable
 * (G. Plotkin, 1970). So no pattern matches more than its cases ask for.
 */
export function generalise(cases: readonly (readonly (readonly string[])[])[]): Generalised {
  // A value that stands alone in one text stands apart in the others, also in those before it.
  const alone = new Set<string>();
  patternsOf(cases, alone);
  return patternsOf(cases, alone);
}

/** `alone`: the values of variables for one token, by case as JSON; what is found is added. */
function patternsOf(cases: readonly (readonly (readonly string[])[])[], alone: Set<string>): Generalised {
  const names = new Map<string, string>();
  const values = new Map<string, string[]>();
  const variable = (found: readonly (readonly string[])[], before: string | undefined): Item => {
    const isOne = found.every((tokens) => tokens.length === 1);
    const key = JSON.stringify(found);
    if (isOne) alone.add(key);
    let name = names.get(key);
    if (name === undefined) {
      const wanted = nameFor(found.flat(), before, isOne);
      name = wanted;
      for (let n = 2; values.has(name); n += 1) name = `${wanted}${n}`;
      names.set(key, name);
      values.set(
        name,
        found.map((tokens) => plain(lineOfTokens(tokens))),
      );
    }
    if (!isOne) return { any: name };
    // Pieces of tokens stay glued to what stands beside them.
    const [opened, closed] = [
      found.every(([token = '']) => token.endsWith(GLUE)),
      found.every(([token = '']) => token.startsWith(GLUE)),
    ];
    return opened || closed ? { part: name, before: closed ? GLUE : '', after: opened ? GLUE : '' } : { one: name };
  };
  // A value that has a variable already stands apart from what some cases have behind it: `<file path> offset= 20`.
  const inGap = (found: readonly (readonly string[])[], before: string | undefined): Item[] => {
    const [length = 0, ...others] = new Set(found.map((tokens) => tokens.length));
    if (length === 0 && others.length === 0) return [];
    const first = found.map((tokens) => tokens.slice(0, 1));
    const rest = found.map((tokens) => tokens.slice(1));
    // As many values in each case are values of their own: `cp <path> <path2>`.
    const isApart = others.length === 0 && length <= MOST_APART;
    if (!isApart && !alone.has(JSON.stringify(first))) return [variable(found, before)];
    return [variable(first, before), ...inGap(rest, undefined)];
  };
  const parts = (cases[0] ?? []).map((_, part) => {
    const texts = cases.map((one) => one[part] ?? []);
    const [first = []] = texts;
    const common = texts.reduce((shared, text) => aligned(shared, text).map(([at]) => shared[at] ?? ''), first);
    const gaps = texts.map((text) => gapsOf(text, common));
    const items: Item[] = [];
    for (let at = 0; at <= common.length; at += 1) {
      const found = gaps.map((one) => one[at] ?? []);
      items.push(...inGap(found, common[at - 1]));
      const token = common[at];
      if (token !== undefined) items.push(token);
    }
    return joined(items);
  });
  return { parts, values };
}

/** What stands between the common tokens: before the first, between each two, behind the last. */
function gapsOf(text: readonly string[], common: readonly string[]): string[][] {
  const gaps: string[][] = [];
  let from = 0;
  for (const [, at] of aligned(common, text)) {
    gaps.push(text.slice(from, at));
    from = at + 1;
  }
  return [...gaps, text.slice(from)];
}

/** Splits each token with a value in it, so that the value can be a variable: `refs/for/` and `main`. */
export function unglued(tokens: readonly string[], inside: ReadonlyMap<string, string>): string[] {
  return tokens.flatMap((token) => {
    const value = inside.get(token);
    if (value === undefined) return [token];
    const at = token.indexOf(value);
    const [before, after] = [token.slice(0, at), token.slice(at + value.length)];
    return [before && before + GLUE, value, after && GLUE + after].filter((one) => one !== '');
  });
}

const plain = (text: string): string => text.replaceAll(`${GLUE} `, '').replaceAll(` ${GLUE}`, '').replaceAll(GLUE, '');

/** Parts of a token become the token again. A list in the place of a part stays apart: no token holds it. */
function joined(items: readonly Item[]): Item[] {
  const list: Item[] = [];
  for (const item of items) {
    const last = list.at(-1);
    const isGlued = last !== undefined && (opens(last) || closes(item));
    if (isGlued && !isAny(last) && !isAny(item)) list.splice(-1, 1, merged(last, item));
    else list.push(item);
  }
  return list.map((item) => {
    if (typeof item === 'string') return plain(item);
    if (!('part' in item)) return item;
    const [before, after] = [plain(item.before), plain(item.after)];
    return before === '' && after === '' ? { one: item.part } : { part: item.part, before, after };
  });
}

const opens = (item: Item): boolean =>
  typeof item === 'string' ? item.endsWith(GLUE) : 'part' in item && item.after.endsWith(GLUE);
const closes = (item: Item): boolean =>
  typeof item === 'string' ? item.startsWith(GLUE) : 'part' in item && item.before.startsWith(GLUE);

function merged(one: Item, other: Item): Item {
  if (typeof other === 'string') {
    const text = other.endsWith(GLUE) ? plain(other) + GLUE : plain(other);
    if (typeof one === 'string') return plain(one) + text;
    if ('one' in one) return { part: one.one, before: '', after: text };
    return 'part' in one ? { ...one, after: plain(one.after) + text } : other;
  }
  if (typeof one !== 'string') return other;
  if ('part' in other) return { ...other, before: plain(one) + plain(other.before) };
  return 'one' in other ? { part: other.one, before: plain(one), after: '' } : other;
}

/** Names of arguments of which the word before them says what they are. */
const NAMES_NEXT =
  /^(?:column|table|option|target|file|module|package|command|image|branch|key|argument|named|relation|service)s?$/i;

function nameFor(values: readonly string[], before: string | undefined, isOne: boolean): string {
  if (!isOne) return 'more';
  const argument = before?.endsWith('=') === true ? before.replace(/^-*|=$/g, '') : '';
  const named = argument
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replaceAll(/[_.[\]]+/g, ' ')
    .toLowerCase()
    .trim();
  if (/^[a-z][a-z0-9 -]{0,20}$/.test(named)) return named;
  const ending = /\.([a-z]\w{0,5})$/.exec(values[0] ?? '')?.[1];
  if (ending !== undefined && values.every((value) => value.endsWith(`.${ending}`))) return `${ending} file`;
  if (values.every((value) => value.includes('/'))) return 'path';
  if (values.every((value) => /^\d+$/.test(value))) return 'number';
  if (before !== undefined && NAMES_NEXT.test(before)) return before === 'named' ? 'module' : before.toLowerCase();
  return 'name';
}
