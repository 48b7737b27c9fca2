import { wordsOfLine } from '../../evidence/calls/call-words.js';
import type { EnvironmentFact } from '../../evidence/calls/lesson-parts.schema.js';
import { versionCause } from '../../evidence/calls/version-cause.js';
import type { Case } from './case.js';
import { isWorked, type WorkedCase } from './shown-cases.js';

/** An error must name what worked in so many cases, and in this share of them. */
const FEWEST = 3;
const NAMED = 0.6;

/**
 * Why the calls failed, from evidence only: the versions of the two interpreters, or an error that names what worked.
 * Undefined if the evidence does not say it.
 */
export function causeOf(cases: readonly Case[], environment: readonly EnvironmentFact[]): string | undefined {
  const [first, ...others] = cases.filter(isWorked);
  if (!first) return undefined;
  const byVersion = [first, ...others].map(({ failed, worked }) => versionCause(failed, worked, environment));
  const [cause] = byVersion;
  return byVersion.every((one) => one === cause) && cause ? cause : namedCause(cases, first);
}

/** The error itself names a word that the call which worked has, and the failed one has not. */
function namedCause(cases: readonly Case[], { changed, failed, worked }: WorkedCase): string | undefined {
  const errors = cases.map(({ error }) => error).filter((error) => error !== '');
  const isNamed = (text: string): boolean => {
    const pattern = new RegExp(`(?<![\\w-])${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`);
    const naming = errors.filter((error) => pattern.test(error)).length;
    return naming >= FEWEST && naming >= NAMED * errors.length;
  };
  const word = changed.find((one) => /^[\w.=:-]{4,60}$/.test(one) && !failed.call.includes(one) && isNamed(one));
  if (word === undefined) return undefined;
  const flag = withValue(word, worked);
  return `The error names \`${isNamed(flag) ? flag : word}\`.`;
}

/** A flag with the value that follows it. */
function withValue(word: string, { call }: WorkedCase['worked']): string {
  const words = wordsOfLine(call);
  const next = words[words.indexOf(word) + 1] ?? '';
  return word.startsWith('-') && /^[\w./<]/.test(next) ? `${word} ${next}` : word;
}
