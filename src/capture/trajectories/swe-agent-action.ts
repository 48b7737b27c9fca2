import { parseJson } from '../../platform/base/parse-json.js';
import { parseCommandLine } from '../../untrusted/shell/command-line.js';
import type { Fields } from '../importers/json-fields.js';
import { SweToolCall } from './swe-agent.schema.js';

export interface SweCall {
  readonly name: string;
  readonly input: unknown;
}

/** The commands of SWE-agent's own interface, with their arguments; what follows them is content. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  open: ['path', 'line_number'],
  goto: ['line_number'],
  create: ['filename'],
  scroll_up: [],
  scroll_down: [],
  find_file: ['file_name', 'dir'],
  search_dir: ['search_term', 'dir'],
  search_file: ['search_term', 'file'],
  search_all: ['search_term', 'dir'],
  filemap: ['file_path'],
  edit: [],
  insert: [],
  str_replace_editor: ['command', 'path'],
  submit: [],
  exit_forfeit: [],
};
const MAX_HEAD = 2_000;

/**
 * The call that an action is. A model that calls tools says which and with what; otherwise the first word of the text is
 * a command of SWE-agent or makes it a command line.
 */
export function sweCall(action: string, toolCalls: readonly unknown[] = []): SweCall {
  const { data } = SweToolCall.safeParse(toolCalls[0]);
  if (data !== undefined) {
    const { name, arguments: given } = data.function;
    return { name, input: typeof given === 'string' ? (parseJson(given) ?? {}) : (given ?? {}) };
  }
  const text = action.trim();
  const name = /^\w{1,40}/.exec(text)?.[0] ?? '';
  const keys = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (keys === undefined || !/^\s|^$/.test(text.slice(name.length))) return { name: 'bash', input: { command: text } };
  return { name, input: argumentsOf(text.slice(name.length), keys) };
}

/** The named words of a command, and the rest as content. */
function argumentsOf(rest: string, keys: readonly string[]): Fields {
  if (keys.length === 0) return rest.trim() === '' ? {} : { text: rest };
  const words = parseCommandLine(rest.slice(0, MAX_HEAD))[0]?.words.map(({ text }) => text) ?? [];
  const named = Object.fromEntries(
    keys.flatMap((key, n) => (words[n] === undefined ? [] : [[key, wordValue(words[n])]])),
  );
  return words.length > keys.length || rest.length > MAX_HEAD ? { ...named, text: rest } : named;
}

/** A line number is one, as in the call of a tool. */
const wordValue = (word: string): string | number => (/^\d{1,9}$/.test(word) ? Number(word) : word);

/** What was observed, without the words and the state that SWE-agent puts around it for the model. */
export function withoutState(text: string): string {
  const at = text.lastIndexOf('\n(Open file: ');
  const observed = at < 0 || !/bash-\$\s{0,5}$/.test(text.slice(-20)) ? text : text.slice(0, at);
  return observed.replace(/^(?:Observation: |OBSERVATION:\n)/, '');
}
