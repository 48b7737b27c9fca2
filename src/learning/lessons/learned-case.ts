import type { Call } from '../calls/call.js';
import { bare } from '../calls/tokens.js';
import { unglued } from '../patterns/generalise.js';
import { hunksOf } from '../recoveries/alignment.js';
import type { Case, Try } from '../recoveries/case.js';
import { insertedIn } from '../recoveries/goal.js';

/** A failure of a run, and where the run belongs. */
export interface LearnedCase {
  /** Identifies the run. */
  readonly run: string;
  readonly agent: string;
  /** The task: runs of one task are not independent. */
  readonly origin: string;
  /** When the run ended, as ISO 8601. */
  readonly finishedAt: string;
  readonly one: Case;
}

/** A failure, and the try that overcame it. */
export interface Seen {
  readonly of: LearnedCase;
  readonly taken: Try;
}

/** How many different values the list has. */
export const distinct = <T>(list: readonly T[], of: (one: T) => string): number => new Set(list.map(of)).size;

/** Runs, tasks and agents that a remedy needs, of each so many. */
export const LEAST = 2;

/** Whether enough runs, tasks and agents recovered. */
export const isEnough = (seen: readonly Seen[]): boolean =>
  (['run', 'origin', 'agent'] as const).every((unit) => distinct(seen, ({ of }) => of[unit]) >= LEAST);

/** What is in the sets of all. */
export function shared(seen: readonly Seen[], setOf: (one: Seen) => ReadonlySet<string>): string[] {
  const [first, ...others] = seen.map(setOf);
  return [...(first ?? [])].filter((one) => others.every((other) => other.has(one)));
}

/**
 * The program and the words of the error that are no values: failures with one key are looked at together. What the call
 * itself says is a value.
 */
export function problemKey({ program, error, tokens }: Call): string {
  const own = new Set(tokens.flatMap((one) => [one, ...one.split(/[/.=]/)]));
  const words = error.map((word, at) => {
    const isValue = !/^[A-Za-z][A-Za-z-]*:?$/.test(word) && !/^\w+(?:Error|Exception)$/.test(word);
    const isNamed = /^(?:named|module|column|table)$/i.test(error[at - 1] ?? '');
    return isValue || isNamed || (own.has(word) && at > 0) ? '*' : word;
  });
  return `${program}: ${words.join(' ').replace(/\*(?: \*)+/g, '*')}`;
}

/**
 * Call, error, step and try of a case. `inside`: values that are a part of another token stand apart, so that they can
 * be variables.
 */
export function textsOf({ of, taken }: Seen, step: string | undefined, inside: boolean): (readonly string[])[] {
  const { failed } = of.one;
  const own = (step === undefined ? undefined : taken.steps.get(step)?.tokens) ?? [];
  const texts = [failed.tokens, failed.error, own, taken.call.tokens];
  if (!inside) return texts;
  const values = valuesInside(failed, own, taken.call);
  return texts.map((tokens) => unglued(tokens, values));
}

/** By token, the value of another text that is a part of it. */
function valuesInside(failed: Call, step: readonly string[], call: Call): Map<string, string> {
  const values = new Map<string, string>();
  const add = (token: string, value: string): void => {
    if (!values.has(token)) values.set(token, value);
  };
  for (const { removed, added } of hunksOf(failed.tokens, call.tokens))
    for (const one of removed)
      for (const other of added) {
        const [short, long] = one.length < other.length ? [bare(one), other] : [bare(other), one];
        if (short.length >= 3 && short !== long && long.includes(short)) add(long, short);
        const inserted = insertedIn(short, long);
        if (inserted && !long.includes(short)) for (const token of [one, other]) add(token, inserted.rest);
      }
  const known = [...failed.tokens, ...failed.error];
  for (const word of step.slice(1))
    if (word.length >= 3 && !known.includes(word))
      for (const other of known) if (other.includes(word)) add(other, word);
  for (const word of failed.error.filter(({ length }) => length >= 3))
    for (const one of [...step, ...call.tokens])
      if (one !== word && one.includes(word) && !failed.tokens.includes(one)) add(one, word);
  return values;
}
