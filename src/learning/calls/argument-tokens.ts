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

const STATEMENT =
  /^\s{0,20}(?:select|with|insert|update|delete|create|alter|drop|show|describe|desc|explain|truncate|merge|replace|pragma)\s/i;

/** The words of a statement of SQL, then the other arguments; undefined if the call holds no statement. */
export function statementTokens(action: string, given: readonly GivenArgument[] | undefined): string[] | undefined {
  const parsed = parsedObject(action);
  const own = given ?? Object.entries(Object(parsed ?? { '': action })).map(([key, value]) => asGiven(key, value));
  const isAny = own.length === 1 ? /^\s{0,20}[a-z]{3,12}\s/i : STATEMENT;
  const [statement, ...more] = own.filter(({ value }) => value !== undefined && isAny.test(value));
  if (statement?.value === undefined || more.length > 0) return undefined;
  const others = own.filter((one) => one !== statement);
  return [...wordsOf(statement.value), ...(others.length === 0 ? [] : argumentTokens(action, others))];
}

const asGiven = (key: string, value: unknown): GivenArgument =>
  typeof value === 'string' ? { key, type: 'text', value } : { key, type: 'other', value: JSON.stringify(value) };

function wordsOf(statement: string): string[] {
  const words = statement
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
