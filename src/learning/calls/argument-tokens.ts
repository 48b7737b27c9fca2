import { parseJson } from '../../platform/base/parse-json.js';
import { NUMBER, TEXT } from './tokens.js';

/** One argument as a report holds it; `value` is missing for content. */
export interface GivenArgument {
  readonly key: string;
  readonly type: string;
  readonly value?: string | undefined;
}

const LONGEST_VALUE = 120;
const MOST = { depth: 5, items: 20, statement: 4_000 } as const;

const parsedObject = (action: string): unknown => (action.trimStart().startsWith('{') ? parseJson(action) : undefined);

/** The arguments of a call as `key=` `value`, ordered by key. */
export function argumentTokens(action: string, given: readonly GivenArgument[] | undefined): string[] {
  if (given !== undefined)
    return [...given]
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .flatMap(({ key, type, value }) => {
        if (value === undefined) return [`${key}=`, TEXT];
        return type === 'text' ? [`${key}=`, textToken(value)] : flat(parseJson(value) ?? value, key, 0);
      });
  const parsed = parsedObject(action);
  if (typeof parsed === 'object' && parsed !== null) return flat(parsed, '', 0);
  return action.trim() === '' ? [] : [textToken(action.trim())];
}

/**
 * A command line with the settings of the call, as a comment: `npm test # run_in_background=true`. Switches and names
 * only: a time limit or a description says nothing about what to do.
 */
export function withSettings(line: string, given: readonly GivenArgument[] | undefined): string {
  const settings = (given ?? []).filter(
    ({ key, type, value = '' }) =>
      !/^(?:command|cmd)$/.test(key) &&
      /^[A-Za-z]\w{1,40}$/.test(key) &&
      (type === 'boolean' ? value === 'true' : type === 'text' && /^[a-z]+(?:_[a-z]+){1,4}$/.test(value)),
  );
  return settings.length === 0 ? line : `${line} #${settings.map(({ key, value }) => ` ${key}=${value}`).join('')}`;
}

/** The words of a statement of SQL; undefined if the call holds more or something else. */
export function statementTokens(action: string, given: readonly GivenArgument[] | undefined): string[] | undefined {
  const parsed = parsedObject(action);
  const values = given?.map(({ value }) => value) ?? (parsed === undefined ? [action] : Object.values(Object(parsed)));
  const [text] = values;
  if (values.length !== 1 || typeof text !== 'string' || !/^\s{0,20}[a-z]{3,12}\s/i.test(text)) return undefined;
  const words = text
    .slice(0, MOST.statement)
    .match(/'[^']{0,400}'|"[^"]{0,400}"|[A-Za-z_][\w$]{0,100}|\d{1,20}(?:\.\d{1,20})?|\*/g);
  return (words ?? []).map((word, at) => {
    if (/^['"]/.test(word)) return TEXT;
    if (/^\d/.test(word)) return NUMBER;
    // At the end of an order it says the direction.
    return at === 0 && /^desc$/i.test(word) ? 'describe' : word.toLowerCase();
  });
}

/** A number in quotation marks was given as a text. */
function textToken(value: string): string {
  if (/^-?\d{1,20}(?:\.\d{1,20})?$/.test(value)) return `"${value}"`;
  return value.length > LONGEST_VALUE || /\n|\S\s+\S+\s+\S/.test(value) ? TEXT : value;
}

function flat(value: unknown, path: string, depth: number): string[] {
  if (depth > MOST.depth) return [];
  if (Array.isArray(value)) return value.slice(0, MOST.items).flatMap((one) => flat(one, `${path}[]`, depth + 1));
  if (typeof value !== 'object' || value === null)
    return [`${path}=`, typeof value === 'string' ? textToken(value) : String(value)];
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MOST.items)
    .flatMap(([key, inner]) => flat(inner, path === '' ? key : `${path}.${key}`, depth + 1));
}
