import { argumentsOf } from '../../evidence/calls/call-instance.js';
import { readCallWords } from '../../evidence/calls/call-role.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { RecordedCall } from '../evidence/recorded-execution.js';

/** What a contrast reads of a call. */
export type ContrastCall = Pick<RecordedCall, 'tool' | 'text'>;

/** The calls of one execution on one side of a contrast. */
export interface CallsOfExecution {
  readonly origin: string;
  readonly calls: readonly ContrastCall[];
}

/** The words of one execution on one side of a contrast, one set for each call. */
export interface WordsOfExecution {
  readonly origin: string;
  readonly sets: readonly ReadonlySet<string>[];
}

/** Executions with at least one call that holds the word, and their origins. */
export interface WordHolders {
  readonly executions: number;
  readonly origins: number;
}

/** A word and how often it occurs on both sides. */
export interface WordContrast {
  readonly word: string;
  /** The mean over the executions of a side of the share of their calls that hold the word, 0..1. */
  readonly failedShare: number;
  readonly workedShare: number;
  readonly failed: WordHolders;
  readonly worked: WordHolders;
}

/** Bounds for hostile reports: calls and words of one execution that are read, and words of one call. */
const LIMITS = { calls: 200, words: 1_000, perCall: 120, length: 60 } as const;
/** Words of values, such as names of columns, and placeholders. */
const WORD = /<[a-z][a-z0-9 -]{0,29}>|(?:--?|\.{1,2}\/)?[\p{L}_][\p{L}\p{N}_./:-]{0,59}/gu;

/**
 * Contrasts the words of failed calls with those of calls that worked; both lists hold one entry for each execution. An
 * execution counts once, however many calls it has. The largest difference comes first. Independent of the order of
 * the executions, linear in the calls.
 */
export function contrastWords(
  failed: readonly CallsOfExecution[],
  worked: readonly CallsOfExecution[],
): WordContrast[] {
  const wordsOf = ({ origin, calls }: CallsOfExecution): WordsOfExecution => ({
    origin,
    sets: calls.slice(0, LIMITS.calls).map(wordsOfCall),
  });
  return contrastSets(failed.map(wordsOf), worked.map(wordsOf));
}

/** {@link contrastWords} for words, keys or other features that are known already. */
export function contrastSets(failed: readonly WordsOfExecution[], worked: readonly WordsOfExecution[]): WordContrast[] {
  const [here, there] = [tally(failed), tally(worked)];
  return [...new Set([...here.keys(), ...there.keys()])]
    .map((word) => {
      const [own, other] = [here.get(word), there.get(word)];
      return {
        word,
        failedShare: shareOf(own, failed.length),
        workedShare: shareOf(other, worked.length),
        failed: holdersOf(own),
        worked: holdersOf(other),
      };
    })
    .sort((a, b) => distance(b) - distance(a) || compareText(a.word, b.word));
}

/** The words of a call: of a command line as it shows them, of another tool those of the values of its arguments. */
export function wordsOfCall({ tool, text }: ContrastCall): ReadonlySet<string> {
  if (text.length > REMEMBERED.length) return wordsIn(tool, text);
  return known.getOrCreate(`${tool}\n${text}`, () => wordsIn(tool, text));
}

/** A dossier reads the words of a call several times. */
const REMEMBERED = { calls: 4_000, length: 400 } as const;
const known = new FifoCache<ReadonlySet<string>>(REMEMBERED.calls);

function wordsIn(tool: string, text: string): Set<string> {
  const words = new Set<string>();
  const add = (word: string): void => {
    if (word !== '' && word.length <= LIMITS.length && words.size < LIMITS.perCall) words.add(word);
  };
  const values = tool === 'shell' ? undefined : argumentsOf(text);
  if (values !== undefined) {
    for (const [key, value] of values) {
      if (/^(?:true|false|null|-?\d{1,3})$/.test(value)) add(`${key}=${value}`);
      else addText(value, add);
    }
    return words;
  }
  if (tool !== 'shell') {
    addText(text, add);
    return words;
  }
  for (const word of readCallWords(text)) {
    const at = word.text.indexOf('=');
    if (word.role === 'assignment' || (word.role === 'flag' && at > 0)) {
      add(word.text.slice(0, at + 1));
      add(word.text);
    } else if (word.role === 'operand') addOperand(word.text, add);
    else {
      add(word.text);
      if (word.role === 'program') add(word.text.slice(word.text.lastIndexOf('/') + 1));
    }
  }
  return words;
}

function addOperand(text: string, add: (word: string) => void): void {
  const plain = /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;
  if (/\s/.test(plain)) {
    addText(plain, add);
    return;
  }
  add(plain);
  addPath(plain, add);
}

function addText(text: string, add: (word: string) => void): void {
  if (/^\S{1,60}$/.test(text)) add(text);
  for (const [word] of text.matchAll(WORD)) {
    add(word);
    addPath(word, add);
  }
}

/** The first folder of a relative path, and the kind of file: `tests/` and `*.py` of `tests/unit/test_tax.py`. */
function addPath(word: string, add: (word: string) => void): void {
  const [folder] = /^(?:\.\/)?[\w.-]{1,40}\/(?=.)/.exec(word) ?? [];
  if (folder !== undefined) add(folder);
  const [kind] = /(?<=[\w>*-])\.[A-Za-z][A-Za-z0-9]{0,5}$/.exec(word) ?? [];
  if (kind !== undefined) add(`*${kind}`);
}

/** Shares are added as whole numbers, so that the order of the executions does not show. */
const UNIT = 1_000_000;

interface Tally {
  share: number;
  executions: number;
  readonly origins: Set<string>;
}

/** Executions first counted alone: one with many calls weighs no more than one with a single call. */
function tally(side: readonly WordsOfExecution[]): Map<string, Tally> {
  const all = new Map<string, Tally>();
  for (const { origin, sets } of side) {
    const own = new Map<string, number>();
    for (const set of sets.slice(0, LIMITS.calls))
      for (const word of set) {
        const known = own.get(word);
        if (known !== undefined || own.size < LIMITS.words) own.set(word, (known ?? 0) + 1);
      }
    for (const [word, n] of own) {
      const known = all.get(word) ?? { share: 0, executions: 0, origins: new Set() };
      known.share += Math.round((UNIT * n) / Math.min(sets.length, LIMITS.calls));
      known.executions += 1;
      known.origins.add(origin);
      all.set(word, known);
    }
  }
  return all;
}

/** 0..1, with three decimals. */
const shareOf = (one: Tally | undefined, executions: number): number =>
  executions === 0 ? 0 : Math.round(((one?.share ?? 0) * 1_000) / (UNIT * executions)) / 1_000;

const holdersOf = (one: Tally | undefined): WordHolders => ({
  executions: one?.executions ?? 0,
  origins: one?.origins.size ?? 0,
});

const distance = ({ failedShare, workedShare }: WordContrast): number => Math.abs(failedShare - workedShare);
