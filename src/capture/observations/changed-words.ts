import type { ActionShape, StepShape } from '../actions/action-shape.js';
import { isPathLike, operandShape } from '../actions/operand-shape.js';
import { CHANGE_LIMITS, type ComparedCalls, pairChanges, type SlotValue, type TrialChange } from './trial-change.js';

/** The slot of a word that belongs to no flag. */
const OPERAND = 'operand';
/** Switches that take no value: the word after them is an operand. */
const SWITCH =
  /^(?:-[xygqDES]|--(?:no-[\w-]{1,40}|user|save|save-dev|save-exact|dev|global|verbose|quiet|silent|yes|all|recursive|detach|force|dry-run|watch|version|help|upgrade|editable|init|system|debug|check|fix|strict))$/;
/** What stands for content. It stays an operand, since it names nothing. */
const HIDDEN = /^\[(?:code|text)\]$/;
/** Purposes whose plain words name files and folders. */
const WORDS_ARE_PATHS = /^(?:test:python|file:|list$|shell:(?:cd|pushd|cp|mv|tar|ln|diff|du|stat|mkdir|chmod)$)/;

/**
 * Compares a failed and a later command word by word, with their variables and set-up steps. The key of the later one
 * keeps the values of what changed, and the kinds of the rest: `psql -h=db2`, `npm test NODE_ENV=test`. Equal changes
 * have equal keys.
 */
export function compareCommands(failed: ActionShape, later: ActionShape): ComparedCalls {
  const step = compareSteps(failed, later);
  const variables = pairChanges(...onlyInOne(failed.variables.map(variableSlot), later.variables.map(variableSlot)));
  const setup = pairChanges(...onlyInOne(failed.setup.map(setupSlot), later.setup.map(setupSlot)));
  const prefix = setup.flatMap(({ to }) => (to === undefined ? [] : [/\||^sudo$|^doas$/.test(to) ? to : `${to} &&`]));
  const suffix = variables.flatMap(({ slot, to }) => (to === undefined ? [] : [`${slot}=${to}`]));
  const removed = [...setup, ...variables].filter(({ kind }) => kind === 'removed');
  const without = removed.map(({ slot }) => `without ${slot}`);
  return {
    changes: [...step.changes, ...variables, ...setup].slice(0, CHANGE_LIMITS.changes),
    fine: [...prefix, step.fine, ...suffix, ...without].join(' ').slice(0, CHANGE_LIMITS.fine),
  };
}

/** Compares two steps of command lines without their surroundings. */
export function compareSteps(failed: StepShape, later: StepShape): ComparedCalls {
  if (failed.coarse !== later.coarse) {
    const isSameProgram = failed.program === later.program && failed.subcommand !== undefined;
    const from = failed.subcommand ?? '';
    const to = later.subcommand ?? '';
    return {
      changes: isSameProgram
        ? pairChanges([{ slot: 'subcommand', value: from }], [{ slot: 'subcommand', value: to }])
        : [],
      fine: later.fine,
    };
  }
  const { first, second } = differences(comparableWords(failed), comparableWords(later));
  const removed = slotsOf(failed, first);
  const added = slotsOf(later, second);
  const changes = pairChanges(removed, added);
  return { changes, fine: changes.length === 0 ? later.fine : keyOf(later, added, changes) };
}

function variableSlot(word: string): SlotValue {
  const at = word.indexOf('=');
  const value = word.slice(at + 1);
  return { slot: word.slice(0, at).replace(/\+$/, ''), value: isPathLike(value) ? operandShape(value) : value };
}

function setupSlot(text: string): SlotValue {
  return { slot: text.split(' ', 1)[0] ?? text, value: text };
}

function onlyInOne(first: readonly SlotValue[], second: readonly SlotValue[]): [SlotValue[], SlotValue[]] {
  const lacks = (list: readonly SlotValue[]) => {
    const known = new Set(list.map(({ slot, value }) => `${slot}=${value}`));
    return ({ slot, value }: SlotValue): boolean => !known.has(`${slot}=${value}`);
  };
  return [first.filter(lacks(second)), second.filter(lacks(first))];
}

/** A call is compared with several others. */
const COMPARABLE = new WeakMap<StepShape, readonly string[]>();

function comparableWords(step: StepShape): readonly string[] {
  const known = COMPARABLE.get(step) ?? step.words.map(comparable(step));
  COMPARABLE.set(step, known);
  return known;
}

/** A word as it is compared and shown: a path as its kind, everything else as it is. */
function comparable({ purpose }: StepShape): (word: string, at: number, words: readonly string[]) => string {
  const wordsArePaths = WORDS_ARE_PATHS.test(purpose);
  return (word, at, words) => {
    if (isFlag(word)) {
      const { name, value } = splitFlag(word);
      return value === undefined || !isPathLike(value) ? word : `${name}=${operandShape(value)}`;
    }
    if (isPathLike(word)) return operandShape(word);
    const isValue = takesValue(words[at - 1]);
    return wordsArePaths && !isValue && operandShape(word) === '[word]' ? '[word]' : word;
  };
}

const isFlag = (word: string): boolean => word.length > 1 && word.startsWith('-') && word !== '--';

/** True for a flag that may have its value in the next word. */
const takesValue = (word: string | undefined): boolean =>
  word !== undefined && isFlag(word) && splitFlag(word).value === undefined && !SWITCH.test(word);

function splitFlag(word: string): { name: string; value?: string } {
  const attached = /^(-[A-Za-z])(\d.*|\[.*)$/.exec(word);
  if (attached) return { name: attached[1] ?? word, value: attached[2] ?? '' };
  const at = word.indexOf('=');
  return at < 0 ? { name: word } : { name: word.slice(0, at), value: word.slice(at + 1) };
}

interface PlacedValue extends SlotValue {
  /** Indexes of its words. */
  readonly at: readonly number[];
}

/** The changed words of a step, each with its slot. A changed word after a flag is the value of that flag. */
function slotsOf(step: StepShape, changed: ReadonlySet<number>): PlacedValue[] {
  const words = comparableWords(step);
  const found: PlacedValue[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!changed.has(at)) continue;
    if (isFlag(word)) {
      const { name, value } = splitFlag(word);
      const next = words[at + 1];
      const hasNext =
        takesValue(word) && next !== undefined && changed.has(at + 1) && !isFlag(next) && !HIDDEN.test(next);
      found.push(
        hasNext ? { slot: name, value: next, at: [at, at + 1] } : { slot: name, value: value ?? '', at: [at] },
      );
      if (hasNext) at += 1;
    } else {
      const flag = takesValue(words[at - 1]) && !HIDDEN.test(word) ? words[at - 1] : undefined;
      found.push({ slot: flag ?? OPERAND, value: word, at: [at] });
    }
  }
  return found;
}

/** The fine key of a changed step: its flags, the kinds of its unchanged operands, then the changed ones. */
function keyOf(step: StepShape, added: readonly PlacedValue[], changes: readonly TrialChange[]): string {
  const used = new Set(added.flatMap(({ at }) => at));
  const changed = new Map(added.filter(({ slot }) => slot !== OPERAND).map(({ slot, value }) => [slot, value]));
  const named = (flag: string): string => {
    const value = changed.get(flag);
    return value === undefined || value === '' ? flag : `${flag}=${value}`;
  };
  // those of a script that an interpreter runs
  const ofScript = [...changed.keys()].filter((flag) => !step.flags.includes(flag));
  const subcommand = (step.subcommand ?? '').split(' ');
  const kinds = step.words.flatMap((word, at) => {
    if (word === subcommand[0]) {
      subcommand.shift();
      return [];
    }
    const kind = operandShape(word);
    return isFlag(word) || used.has(at) || !step.operands.includes(kind) ? [] : [kind];
  });
  const operands = added.filter(({ slot }) => slot === OPERAND).map(({ value }) => value);
  const removed = changes
    .filter(({ kind, slot }) => kind === 'removed' && slot === OPERAND)
    .map(({ from = '' }) => `without ${from}`);
  return [
    step.coarse,
    ...step.flags.map(named),
    ...new Set(kinds),
    ...operands,
    ...ofScript.map(named),
    ...removed,
  ].join(' ');
}

/** The indexes of the words that only one of two lists has, by their longest common subsequence. */
function differences(
  first: readonly string[],
  second: readonly string[],
): { first: ReadonlySet<number>; second: ReadonlySet<number> } {
  if (first.length === second.length && first.every((word, at) => word === second[at]))
    return { first: new Set(), second: new Set() };
  // lengths[i][j]: the longest common subsequence of the rests from i and j. Both lists are bounded.
  const lengths = Array.from({ length: first.length + 1 }, () => new Uint8Array(second.length + 1));
  for (let i = first.length - 1; i >= 0; i -= 1)
    for (let j = second.length - 1; j >= 0; j -= 1) {
      const below = lengths[i + 1];
      const row = lengths[i];
      if (!row || !below) continue;
      row[j] = first[i] === second[j] ? 1 + (below[j + 1] ?? 0) : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  const only = { first: new Set<number>(), second: new Set<number>() };
  let i = 0;
  let j = 0;
  while (i < first.length || j < second.length) {
    if (i < first.length && j < second.length && first[i] === second[j]) {
      i += 1;
      j += 1;
    } else if (j >= second.length || (i < first.length && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))) {
      only.first.add(i);
      i += 1;
    } else {
      only.second.add(j);
      j += 1;
    }
  }
  return only;
}
