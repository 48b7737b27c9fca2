import { parseJson } from '../../platform/base/parse-json.js';
import { wordsOfLine } from './call-words.js';
import { fills } from './placeholder.js';
import type { ShownCall } from './shown-call.schema.js';

/** Returns whether the observed call is the recommended one with its placeholders filled. */
export function isInstance(recommended: ShownCall, observed: ShownCall): boolean {
  if (recommended.tool !== observed.tool) return false;
  if (recommended.tool === 'shell') return fillsWords(wordsOfLine(recommended.call), wordsOfLine(observed.call));
  const [wanted, seen] = [argumentsOf(recommended.call), argumentsOf(observed.call)];
  if (wanted === undefined || seen === undefined) return recommended.call === observed.call;
  return wanted.size === seen.size && [...wanted].every(([key, value]) => fills(value, seen.get(key) ?? ''));
}

function fillsWords(pattern: readonly string[], words: readonly string[]): boolean {
  return pattern.length === words.length && pattern.every((word, at) => fills(word, words[at] ?? ''));
}

/** The arguments of a shown tool call by name, each value as its text; undefined if the call is not a JSON object. */
export function argumentsOf(call: string): Map<string, string> | undefined {
  const parsed = parseJson(call);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  return new Map(
    Object.entries(parsed).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
