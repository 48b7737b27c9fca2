import type { RecordedCall } from '../evidence/recorded-execution.js';
import { WHOLE_SHARE } from './action-samples.js';
import { type CallFeature, idsOf, kindOf } from './call-features.js';
import type { Firing } from './firing.js';
import type { Sample } from './hypothesis.js';

/** The error must name an operand that the remedy leaves out, in this share of the failures that have it. */
const NAMED_SHARE = 0.6;
/** What a call is about. To leave it out asks for something else, unless the error blames it. */
const REQUEST: ReadonlySet<CallFeature['kind']> = new Set(['operand', 'word', 'folder', 'value']);
/** Arguments of a tool: its schema says whether they belong there, so that they are no matter of the request. */
const ARGUMENT: ReadonlySet<CallFeature['kind']> = new Set(['key', 'empty', 'type', 'mark']);

/** Returns whether a lesson may be to put the one in the place of the other: of a setting another value, or what the errors blame. */
export function mayReplace(to: CallFeature, out: CallFeature, { firings }: Sample): boolean {
  const isSameSetting = to.name.replace(/=[^=]*$/, '') === out.name.replace(/=[^=]*$/, '');
  const isRequest = REQUEST.has(out.kind) || (out.kind === 'setting' && !isSameSetting);
  return !isRequest || isBlamed(out, firings);
}

/** Returns whether the errors name it, or the argument that has the value. */
function isBlamed({ id, kind, name }: CallFeature, firings: readonly Firing[]): boolean {
  const having = firings.filter(({ failed }) => idsOf(failed).has(id));
  const bare = kind === 'value' ? name.split(': ') : [kind === 'setting' ? keyOf(name) : name.replace(/\/$/, '')];
  const naming = having.filter(({ failed }) =>
    bare.some((one) => failed.error.toLowerCase().includes(one.toLowerCase())),
  );
  return having.length > 0 && naming.length >= NAMED_SHARE * having.length;
}

/** The key of a setting: `http.sslVerify` of `-c http.sslVerify=false`. */
const keyOf = (setting: string): string => setting.replace(/^\S+ |^--[\w-]+=|^-[A-Za-z]/, '').replace(/=.*$/s, '');

/**
 * Returns whether a lesson may be to leave this out: an argument of a tool, or what the errors blame. A word that no error
 * blames is missing in later calls because they ask for something else. A program in whose place another one stands is
 * a matter of the pair.
 */
export function mayOnlyDrop(feature: CallFeature, { firings }: Sample): boolean {
  if (ARGUMENT.has(feature.kind)) return true;
  return isBlamed(feature, firings) && !(feature.kind === 'program' && isReplaced(feature, firings));
}

/** Returns whether most of the calls that worked without a program have another one. */
function isReplaced({ id }: CallFeature, firings: readonly Firing[]): boolean {
  const without = firings.flatMap(({ failed, recovery }) => {
    const after = recovery && idsOf(recovery);
    return after && idsOf(failed).has(id) && !after.has(id) ? [{ before: idsOf(failed), after }] : [];
  });
  const replaced = without.filter(({ before, after }) =>
    [...after].some((one) => kindOf(one) === 'program' && !before.has(one)),
  );
  return 2 * replaced.length >= without.length;
}

/**
 * Returns whether a lesson may be to add this: no part of the request, no program, and of flags and settings those of the
 * program that failed. A short flag says so little that the errors must name it, or nearly all calls that worked must have
 * it.
 */
export function mayOnlyAdd(feature: CallFeature, { firings, first }: Sample): boolean {
  const { id, kind, name, program } = feature;
  if (REQUEST.has(kind) || kind === 'program' || /^step (?:cd|pushd)$/.test(id)) return false;
  if (kind === 'variable') return isOfMost(feature, firings);
  if (kind !== 'flag' && kind !== 'setting') return true;
  const isShort = kind === 'flag' && !/^--|^-\w+-/.test(name);
  if (isShort && 2 * firings.filter(({ failed }) => hasFlag(failed.error, name)).length >= firings.length) return true;
  const own = firings.filter(({ failed }) => failedPrograms(failed).includes(program ?? ''));
  return own.length >= WHOLE_SHARE * firings.length && (!isShort || isInMost(id, first));
}

/** Returns whether nearly all calls have it that worked after the failure. */
function isInMost(id: string, first: readonly Firing[]): boolean {
  const recovered = first.flatMap(({ recovery }) => recovery ?? []);
  const having = recovered.filter((call) => idsOf(call).has(id));
  return recovered.length > 0 && having.length >= WHOLE_SHARE * recovered.length;
}

/** Returns whether most failures are of the actions that worked with it: a variable may be of one program alone. */
function isOfMost({ id }: CallFeature, firings: readonly Firing[]): boolean {
  const actions = new Set(
    firings.flatMap(({ failed, recovery }) => (recovery && idsOf(recovery).has(id) ? [failed.failure?.action] : [])),
  );
  const own = firings.filter(({ failed }) => actions.has(failed.failure?.action));
  return actions.size === 0 || own.length >= WHOLE_SHARE * firings.length;
}

/** Returns whether it is the program that failed, in most of the calls that hold it. */
export function hasFailed({ id, name }: CallFeature, first: readonly Firing[]): boolean {
  const having = first.filter(({ failed }) => idsOf(failed).has(id));
  const failing = having.filter(({ failed }) => failedPrograms(failed).includes(name));
  return 2 * failing.length >= having.length;
}

/** The program of the failing action: with its folder, alone, and with its subcommand. */
function failedPrograms({ failure }: RecordedCall): string[] {
  const action = failure?.action ?? '';
  const [program = ''] = action.split(' ');
  return [action, program, program.slice(program.lastIndexOf('/') + 1)];
}

const hasFlag = (error: string, flag: string): boolean => error.split(/[^\w-]/).includes(flag);
