import type { ErrorKind } from '../../capture/errors/error-kind.js';
import type { ApproachKind } from '../../capture/observations/trial.js';

/** The parts of a pattern, reduced to plain text. */
export interface PhraseInput {
  tool: string;
  failing: string;
  remedy: string;
  how: ApproachKind;
  /** The errors in words, the most frequent first; may be empty. */
  error: readonly string[];
  /** Fine forms in which the remedy succeeded. */
  forms: readonly string[];
  /** Repeating was tried often enough to say that it seldom works. */
  repeatFails: boolean;
  /** The pattern covers this kind of error after any command. */
  kind?: ErrorKind;
}

export interface Phrases {
  name: string;
  title: string;
  /** Completes "Use when …". */
  when: string;
  /** One or two sentences for the discovery text. */
  gist: string;
  condition: string;
  action: string;
  /** Imperative; the last step verifies the result. */
  steps: string[];
  gotchas: string[];
  /** The name of the remedy in a sentence, in lower case. */
  remedyLabel: string;
}

export function orWhenItFailed(error: readonly string[]): string {
  return error.length === 0 ? ', or when it has just failed' : `, or when it has just ended in ${quoted(error)}`;
}

export function withError(error: readonly string[]): string {
  return error.length === 0 ? '' : ` with ${quoted(error)}`;
}

export function verifyStep(error: readonly string[]): string {
  const first = error[0];
  return first === undefined
    ? 'Check that the call succeeds.'
    : `Check that the call succeeds and no longer reports "${first}".`;
}

export function quoted(error: readonly string[]): string {
  return error.map((text) => `"${text}"`).join(' or ');
}
