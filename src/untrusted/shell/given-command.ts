import { parseJson } from '../../platform/base/parse-json.js';

/**
 * The command line in the input of a shell tool, which is a text, a list of words such as `["bash", "-lc", "…"]`, or an
 * object with `command` or `cmd`; undefined if it holds none.
 */
export function commandGiven(input: unknown): string | undefined {
  if (typeof input === 'string') return input;
  if (Array.isArray(input)) {
    const words = input.filter((word) => typeof word === 'string');
    // `[ ]` is an empty shell test, not a list of words.
    if (words.length === 0) return undefined;
    return /^-[a-z]{0,3}c$/.test(words[1] ?? '') ? (words[2] ?? '') : words.join(' ');
  }
  return commandArgument(input);
}

/** The command line among the arguments of a call. */
export function commandArgument(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const command: unknown = 'command' in input ? input.command : 'cmd' in input ? input.cmd : undefined;
  return typeof command === 'string' || Array.isArray(command) ? commandGiven(command) : undefined;
}

/** A reported command line; some agents report it as the JSON of its arguments, or as a list of words. */
export function commandReported(action: string): string {
  if (!/^\s{0,20}[[{]/.test(action)) return action;
  return commandGiven(parseJson(action)) ?? action;
}
