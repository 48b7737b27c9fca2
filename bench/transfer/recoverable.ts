import type { SetCall } from '../sets/set-row.js';
import { type RawAction, rawActionOf } from './raw-action.js';

/** Where a call that worked differs from the failed one. */
export const CHANGES = ['form', 'prefix', 'flag', 'key', 'operand', 'value'] as const;
export type ChangeKind = (typeof CHANGES)[number];

/** A change that a lesson can name. */
export interface NamedChange {
  readonly kind: ChangeKind;
  /** What only the failed call has, and what only the call that worked has. */
  readonly dropped: readonly string[];
  readonly added: readonly string[];
}

/** A failure, and the first call within reach that did the same in another way and worked. */
export interface FailureOutcome {
  /** The place of the failed call in its execution. */
  readonly at: number;
  /** Undefined if the call holds none that can be read. */
  readonly action: string | undefined;
  /** Some call within reach did the same and worked, changed or not. */
  readonly recovered: boolean;
  /** Differs from it in any way but content, so also in operands that have nothing in common. */
  readonly differs: boolean;
  /** The place of the first call that worked with a change that can be named: then the failure is recoverable. */
  readonly by: number | undefined;
  readonly changes: readonly NamedChange[];
}

/** How many calls after a failure are examined. */
export const WITHIN = 8;
/** An error line that calls something wrong. */
const CALLS_WRONG =
  /not found|no such|n[o']t exist|no module|unknown|unrecogni[sz]ed|invalid|not (?:a|an|valid|installed|supported|allowed|recogni[sz]ed)\b|cannot|can't|unable|missing|ambiguous|denied|undefined|expected|out of range|exceeds/i;
const LONGEST_ERROR = 20_000;
const SHORTEST_NAME = 3;

/**
 * The failures of an execution, in order. A failure is recoverable if one of the next {@link WITHIN} calls is the same
 * action, is known to have worked, asks for the same, and differs in a form, prefix, flag, argument key, operand or
 * value that can be named. The rule was fixed before anything was mined, and uses nothing of the product.
 */
export function failuresOf(calls: readonly SetCall[]): FailureOutcome[] {
  const actions = calls.map((call) => rawActionOf(call));
  return calls.flatMap(({ ok }, at) => (ok === false ? [outcomeOf(calls, actions, at)] : []));
}

function outcomeOf(calls: readonly SetCall[], actions: readonly (RawAction | undefined)[], at: number): FailureOutcome {
  const failed = actions[at];
  const error = (calls[at]?.output ?? '').slice(0, LONGEST_ERROR);
  let [recovered, differs] = [false, false];
  for (let by = at + 1; by <= at + WITHIN && by < calls.length && failed !== undefined; by += 1) {
    const worked = actions[by];
    if (calls[by]?.ok !== true || worked?.action !== failed.action || worked.hidesResult) continue;
    recovered = true;
    differs ||= isDifferent(failed, worked);
    const changes = changesBetween(failed, worked, error);
    if (changes.length > 0) return { at, action: failed.action, recovered, differs: true, by, changes };
  }
  return { at, action: failed?.action, recovered, differs, by: undefined, changes: [] };
}

/** The changes that can be named; none if the second call asks for something else. */
export function changesBetween(failed: RawAction, worked: RawAction, error: string): NamedChange[] {
  if (!asksTheSame(failed.asked, worked.asked)) return [];
  const atFront = [
    change('form', new Set([failed.form]), new Set([worked.form])),
    change('prefix', failed.prefixes, worked.prefixes),
  ];
  const behind = [
    change('flag', failed.flags, worked.flags),
    change('key', failed.keys, worked.keys),
    remedied(change('operand', failed.operands, worked.operands), error),
    remedied(valueChange(failed.values, worked.values), error),
  ];
  // of arguments that were cut only the beginning is known
  const changes = failed.isCut || worked.isCut ? atFront : [...atFront, ...behind];
  return changes.filter(({ dropped, added }) => dropped.length + added.length > 0);
}

/** Another pattern, unless one contains the other, asks for something else. */
const asksTheSame = (failed: string | undefined, worked: string | undefined): boolean =>
  failed === undefined || worked === undefined || failed.includes(worked) || worked.includes(failed);

function change(kind: ChangeKind, failed: ReadonlySet<string>, worked: ReadonlySet<string>): NamedChange {
  return {
    kind,
    dropped: [...failed].filter((one) => !worked.has(one)).sort(),
    added: [...worked].filter((one) => !failed.has(one)).sort(),
  };
}

/** Of keys that both calls have. */
function valueChange(failed: ReadonlyMap<string, string>, worked: ReadonlyMap<string, string>): NamedChange {
  const keys = [...failed.keys()].filter((key) => worked.has(key) && worked.get(key) !== failed.get(key)).sort();
  const valuesIn = (values: ReadonlyMap<string, string>) => keys.map((key) => values.get(key) ?? '');
  return { kind: 'value', dropped: valuesIn(failed), added: valuesIn(worked) };
}

/**
 * Another operand in place of the failed one is another request, and no remedy, unless the error calls the failed one
 * wrong or names the new one, or both are forms of one thing. An operand that is only added changes no request.
 */
function remedied(found: NamedChange, error: string): NamedChange {
  const { dropped, added } = found;
  const isRemedy =
    dropped.length === 0 ||
    dropped.some((one) => isCalledWrong(one, error) || added.some((other) => areForms(one, other))) ||
    added.some((one) => one.length >= SHORTEST_NAME && holdsWord(error, one));
  return isRemedy ? found : { ...found, dropped: [], added: [] };
}

const isCalledWrong = (name: string, error: string): boolean =>
  name.length >= SHORTEST_NAME && error.split('\n').some((line) => CALLS_WRONG.test(line) && holdsWord(line, name));

function holdsWord(text: string, word: string): boolean {
  const [lower, wanted] = [text.toLowerCase(), word.toLowerCase()];
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1))
    if (!/\w/.test(lower.charAt(at - 1)) && !/\w/.test(lower.charAt(at + wanted.length))) return true;
  return false;
}

/** `tests/a.py` and `./a.py`, `teachers` and `teacher`. */
function areForms(one: string, other: string): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  if (shorter.length >= SHORTEST_NAME && longer.toLowerCase().includes(shorter.toLowerCase())) return true;
  const [last, lastOther] = [lastPart(one), lastPart(other)];
  return last.length >= SHORTEST_NAME && last === lastOther;
}

const lastPart = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? '';

function isDifferent(failed: RawAction, worked: RawAction): boolean {
  const parts = ({ form, prefixes, flags, keys, operands, values }: RawAction): string =>
    JSON.stringify([form, ...[prefixes, flags, keys, operands].map((set) => [...set].sort()), [...values]]);
  return parts(failed) !== parts(worked);
}
