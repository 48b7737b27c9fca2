import { parseJson } from '../../src/platform/base/parse-json.js';
import { PLACEHOLDER, type Token, tokensOf } from './shell-tokens.js';

/** A call of a set as the judge compares it, from the row itself. */
export interface RawCommand {
  readonly tool: string;
  /** The command line of a shell, in each form in which it can be written; empty for other tools. */
  readonly lines: readonly (readonly Token[])[];
  /** The arguments of another tool, each value as its text. */
  readonly args: ReadonlyMap<string, string>;
}

const SHELLS = /^(?:bash|shell|sh|zsh|terminal|execute_bash|run_shell_command|local_shell|exec_command|run_command)$/i;

export const isShell = (tool: string): boolean => SHELLS.test(tool);

export function rawCommandOf(tool: string, input: unknown): RawCommand {
  if (isShell(tool)) return { tool: 'shell', lines: linesOf(commandIn(input)), args: new Map() };
  const entries = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  return { tool, lines: [], args: new Map(entries.map(([key, value]) => [key, textOf(value)])) };
}

export function commandIn(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return '';
  const command: unknown = 'command' in input ? input.command : 'cmd' in input ? input.cmd : '';
  return Array.isArray(command) ? command.join(' ') : typeof command === 'string' ? command : '';
}

/** A line, and the line that a shell is given in it, as in `bash -lc '…'`. */
function linesOf(command: string): Token[][] {
  const tokens = tokensOf(command);
  const [shell, flag, inner, more] = tokens;
  const isWrapped = /^(?:.*\/)?(?:ba|z|da|k)?sh$/.test(shell?.text ?? '') && /^-[a-z]{0,4}c$/.test(flag?.text ?? '');
  return isWrapped && inner !== undefined && more === undefined ? [tokens, tokensOf(inner.text)] : [tokens];
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(sorted(value)));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** Returns whether the text is the pattern with every placeholder replaced by one or more characters. */
export function fillsPattern(pattern: string, text: string): boolean {
  const literals = pattern.split(PLACEHOLDER);
  const [first = '', ...others] = literals;
  if (others.length === 0) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const [n, literal] of others.entries()) {
    const isLast = n === others.length - 1;
    const found = isLast ? text.length - literal.length : text.indexOf(literal, at + 1);
    if (found < at + 1 || !text.startsWith(literal, found)) return false;
    at = found + literal.length;
  }
  return true;
}

/**
 * Returns whether the observed line is the recommended one with its placeholders filled: token by token, quotes and
 * blanks aside. A placeholder that is a whole word may stand for several words, but never for a flag or an operator.
 */
export function isFilledLine(recommended: readonly Token[], observed: readonly Token[]): boolean {
  /** The positions in `observed` at which the tokens so far can end. */
  let ends = new Set([0]);
  for (const token of recommended) {
    const next = new Set<number>();
    for (const end of ends) for (const at of endsAfter(token, observed, end)) next.add(at);
    if (next.size === 0) return false;
    ends = next;
  }
  return ends.has(observed.length);
}

const isWholePlaceholder = (text: string): boolean => /^<[a-z][a-z0-9 -]{0,29}>$/.test(text);

function endsAfter(token: Token, observed: readonly Token[], from: number): number[] {
  const here = observed[from];
  if (here === undefined || here.isOperator !== token.isOperator) return [];
  if (token.isOperator) return here.text === token.text ? [from + 1] : [];
  if (!isWholePlaceholder(token.text)) return fillsPattern(token.text, here.text) ? [from + 1] : [];
  const ends: number[] = [];
  for (let at = from; at < observed.length && observed[at]?.isOperator === false && here.text !== ''; at += 1) {
    if (at > from && observed[at]?.text.startsWith('-') === true) break;
    ends.push(at + 1);
  }
  return ends;
}

/** Returns whether the observed arguments are the recommended ones with their placeholders filled. */
export function isFilledCall(recommended: ReadonlyMap<string, string>, observed: ReadonlyMap<string, string>): boolean {
  if (recommended.size !== observed.size) return false;
  return [...recommended].every(([key, value]) => {
    const seen = observed.get(key);
    return seen !== undefined && fillsPattern(value, seen);
  });
}

/** The arguments in a text: `{"limit": 5}`, `search {"limit": 5}`, `search(limit=5)`, `search limit=5`; with the tool. */
export function toolCallIn(text: string): { tool: string | undefined; args: Map<string, string> } | undefined {
  const json = /^([\w.:-]{1,80})?[\s(]{0,3}(\{[\s\S]{0,2000}\})\)?$/.exec(text.trim());
  const parsed = json === null ? undefined : parseJson(json[2] ?? '');
  if (typeof parsed === 'object' && parsed !== null) {
    const args = new Map(Object.entries(parsed).map(([key, value]) => [key, textOf(value)]));
    return { tool: json?.[1], args };
  }
  const call = /^([\w.:-]{1,80})\(([^()]{0,1000})\)$/.exec(text.trim());
  if (call === null) return lineCallIn(text.trim());
  const pairs = (call[2] ?? '').split(',').flatMap((pair) => {
    const [, key, value] = /^\s*([\w-]{1,80})\s*[=:]\s*["']?(.{0,300}?)["']?\s*$/.exec(pair) ?? [];
    return key === undefined ? [] : [[key, value ?? ''] as const];
  });
  return { tool: call[1], args: new Map(pairs) };
}

/** `search query=open limit=5`, as lessons show a call of a tool. */
function lineCallIn(text: string): ReturnType<typeof toolCallIn> {
  const [, tool, rest = ''] = /^([\w.:-]{1,80}) ([\w-]{1,80}=[\s\S]{0,2000})$/.exec(text) ?? [];
  if (tool === undefined) return undefined;
  const starts = [...rest.matchAll(/(?:^|\s)([\w-]{1,80})=/g)];
  const pairs = starts.map(
    ({ 0: start, 1: key = '', index }, at) => [key, rest.slice(index + start.length, starts[at + 1]?.index)] as const,
  );
  return { tool, args: new Map(pairs) };
}
