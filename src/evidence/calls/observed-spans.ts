import { statementTokens } from '../../learning/calls/argument-tokens.js';
import { SETTING, shellLine } from '../../learning/calls/shell-line.js';
import { argumentsOf, isInstance } from './call-instance.js';
import { wordsOfLine } from './call-words.js';
import { fills } from './placeholder.js';
import type { ShownCall } from './shown-call.schema.js';

/** The observed calls, as `ObservedCalls` of a proposal holds them. */
export interface SeenCalls {
  readonly worked: readonly ShownCall[];
  readonly failed: readonly ShownCall[];
}

/** A command that a text shows: in a code span, or as a line of a code block. */
interface ShownCommand {
  readonly text: string;
  /**
   * `rejected`: after words such as "instead of" or "about to run", or before "failed". `asked`: right after a verb such
   * as "run", or in a code block.
   */
  readonly role: 'asked' | 'named' | 'rejected';
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const REJECTING =
  /(?:^|[\s(])(?:(?:instead of|in place of|rather than|not|never|without)(?: running| using| calling)?|where you would (?:run|write|call)|(?:about to|when|if|where)(?: you| it)?(?: run| running| call| calling)?)\s{0,3}$/i;
const ASKED = /\b(?:use|uses|run|call|try|write|do|prefer|execute|start|add|install)\s{0,3}$/i;
const FAILED = /^ (?:has |had |just |already ){0,3}(?:failed|fails|ended in)\b/;
/** `with` stands between a tool and its arguments. */
const JOINING = /^\s{0,3}(?:,|or|and|nor|with|, or|, and)\s{1,3}$/;
/** A text that begins with a placeholder would be an instance of nearly every call. */
const OPEN = /^<[a-z][a-z0-9 -]{0,29}>/;
/** Stands for any number of words, as `<more>`. */
const ELLIPSIS = /(?<=^|\s)\.{3}(?=\s|$)/g;

/** Where a text may show a call that failed. */
export type FailingPlaces = 'rejected' | 'not asked for' | 'anywhere';

/**
 * Returns the commands of a text that were not seen to work. Each code span and each line of a code block must be an
 * instance of a call that worked, one word of such a call, or a flag with its value; unless the text says to run it,
 * also the name of a file that a tool was given. Where the text only rejects it ("instead of", "not", "has failed"), it
 * may be a call that failed, or the words that one begins with; `failing`: in a text that describes a failure, also
 * elsewhere.
 */
export function unobservedCommands(
  text: string,
  { worked, failed }: SeenCalls,
  failing: FailingPlaces = 'rejected',
): string[] {
  const mayFail = (role: ShownCommand['role']): boolean =>
    failing === 'anywhere' || role === 'rejected' || (failing === 'not asked for' && role === 'named');
  return commandsIn(text)
    .filter(
      ({ text: command, role }) =>
        !isSpanOf(command, worked) &&
        !(role === 'named' && isFileOf(command, worked)) &&
        !(mayFail(role) && isFailing(command, failed)),
    )
    .map((command) => command.text);
}

/** Whether a call of a tool that is no shell was given this file, which a step names without its folders: "edit `a.json`". */
const isFileOf = (name: string, observed: readonly ShownCall[]): boolean =>
  observed.some(({ call }) =>
    [...(argumentsOf(call) ?? [])].some(
      ([key, value]) => /(?:path|file)$/i.test(key) && fills(name, value.slice(value.lastIndexOf('/') + 1)),
    ),
  );

const isFailing = (command: string, failed: readonly ShownCall[]): boolean =>
  isSpanOf(command, failed) || failed.some(({ call }) => call.startsWith(`${command} `));

/** Returns whether the call is an instance of one of the observed calls. */
export const isObserved = (call: ShownCall, observed: readonly ShownCall[]): boolean =>
  observed.some((one) => isInstance(call, one));

function commandsIn(text: string): ShownCommand[] {
  const commands: ShownCommand[] = [];
  let prose: string[] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      else if (line.trim() !== '' && !/^\s{0,20}#/.test(line)) commands.push({ text: line.trim(), role: 'asked' });
    } else if (mark !== undefined) {
      commands.push(...spansOf(prose.join(' ')));
      [prose, fence] = [[], mark];
    } else prose.push(line);
  }
  return [...commands, ...spansOf(prose.join(' '))];
}

/** The code spans of one line: from a run of backticks to the next run of the same length. */
function spansOf(line: string): ShownCommand[] {
  const spans: ShownCommand[] = [];
  const runs = [...line.matchAll(/`{1,1000}/g)].map(({ 0: run, index }) => ({ length: run.length, index }));
  let end = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const open = runs[at];
    const closing = open ? runs.findIndex(({ length }, n) => n > at && length === open.length) : -1;
    const close = runs[closing];
    if (!open || !close) continue;
    const before = line.slice(end, open.index);
    const isListed = JOINING.test(before) && spans.at(-1)?.role === 'rejected';
    const shown = line.slice(open.index + open.length, close.index).trim();
    end = close.index + close.length;
    const isRejected = isListed || REJECTING.test(before.slice(-40)) || FAILED.test(line.slice(end, end + 40));
    const role = isRejected ? 'rejected' : ASKED.test(before.slice(-40)) ? 'asked' : 'named';
    if (shown !== '') spans.push({ text: shown, role });
    at = closing;
  }
  return spans;
}

/** Returns whether a code span is one of the calls, or a part that may be shown alone: a word, or a flag with its value. */
export const isSpanOf = (command: string, observed: readonly ShownCall[]): boolean =>
  observed.some((call) =>
    (call.tool === 'shell' ? isOfLine : isOfToolCall)(command.replaceAll(ELLIPSIS, '<more>'), call),
  );

/** The line with its placeholders filled, one word of it, or a flag with its value. */
function isOfLine(command: string, observed: ShownCall): boolean {
  if (command === observed.call) return true;
  if (!OPEN.test(command) && isInstance({ tool: 'shell', call: command }, observed)) return true;
  if (!OPEN.test(command) && isPartOf(command, observed.call)) return true;
  const words = wordsOfLine(command);
  const [first = '', value] = words;
  const seen = wordsOfLine(observed.call);
  if (words.length === 1) return seen.some((word, at) => isSameWord(first, word) && !takesValue(word, seen[at + 1]));
  if (words.length !== 2 || !first.startsWith('-') || value === undefined) return false;
  return seen.some((word, at) => fills(first, word) && fills(value, seen[at + 1] ?? ''));
}

/**
 * The tokens of the line as the learning core reads them, with the placeholders filled, or those of some of its commands
 * one after the other: each of them worked if the line did.
 */
function isPartOf(command: string, observed: string): boolean {
  const wanted = shellLine(marked(command)).tokens;
  const { tokens, starts, isHidden } = shellLine(marked(observed));
  if (wanted.length === 0) return false;
  const setting = tokens.indexOf(SETTING);
  if (fillsTokens(wanted, tokens) || (setting >= 0 && fillsTokens(wanted, tokens.slice(0, setting)))) return true;
  if (isHidden) return false;
  return starts.some((from) =>
    [...starts.filter((start) => start > from).map((start) => start - 1), tokens.length].some((to) =>
      fillsTokens(wanted, tokens.slice(from, to)),
    ),
  );
}

/** A shell would read a placeholder as a redirection. */
const marked = (text: string): string =>
  text.replace(/<([a-z][a-z0-9 -]{0,29})>/g, (_, name: string) => `⟨${name.replaceAll(' ', '_')}⟩`);
const unmarked = (token: string): string =>
  token.replace(/⟨([^⟨⟩]{1,30})⟩/g, (_, name: string) => `<${name.replaceAll('_', ' ')}>`);

/** `<more>` stands for any number of tokens, as in the patterns of the learning core. */
function fillsTokens(wanted: readonly string[], seen: readonly string[]): boolean {
  const ends = new Set([0]);
  for (const token of wanted) {
    const before = [...ends];
    ends.clear();
    if (/^⟨more\d{0,2}⟩$/.test(token)) for (let at = Math.min(...before); at <= seen.length; at += 1) ends.add(at);
    else
      for (const at of before)
        if (at < seen.length && fills(unmarked(token), unmarked(seen[at] ?? ''))) ends.add(at + 1);
    if (ends.size === 0) return false;
  }
  return ends.has(seen.length);
}

const isSameWord = (word: string, seen: string): boolean =>
  word === seen || (!OPEN.test(word) && (fills(word, seen) || fills(word, seen.replace(/^(["'])(.*)\1$/s, '$2'))));

/** A flag before a word that is no flag and no operator may take it as its value, and alone it would dangle. */
const takesValue = (word: string, next: string | undefined): boolean =>
  word.startsWith('-') && next !== undefined && !word.includes('=') && !/^(?:-|[|&;>]|<(?![a-z])|\d?>)/.test(next);

/** The call with or without the tool's name, the name alone, an argument's name, or an argument with its value. */
function isOfToolCall(command: string, observed: ShownCall): boolean {
  const { tool } = observed;
  if (command === tool) return true;
  const call = command.startsWith(`${tool} `) ? command.slice(tool.length + 1).trim() : command;
  if (isInstance({ tool, call }, observed)) return true;
  const args = argumentsOf(observed.call);
  if (args === undefined) return false;
  if (args.has(call)) return true;
  const isSeen = (name: string, value: string): boolean => {
    const seen = args.get(name);
    return seen !== undefined && (fills(value, seen) || fills(value, JSON.stringify(seen)));
  };
  const [, name = '', value = ''] = /^"?([\w.-]{1,80})"?\s{0,2}[:=]\s{0,2}(.{1,600})$/s.exec(call) ?? [];
  if (isSeen(name, value)) return true;
  // A statement as a lesson shows it: its words alone, or one of them.
  const statements = [...args.values()].flatMap((seen) => [statementTokens(seen, undefined) ?? []]);
  if (statements.some((words) => fills(call, words.join(' ')) || words.includes(call))) return true;
  // As a lesson shows them: `origin=JFK seats=2`, also behind a statement.
  const given = [...call.matchAll(/(?:^|\s)([\w.-]{1,80})=/g)].filter(([, one = '']) => args.has(one));
  const [first] = given;
  const before = call.slice(0, first?.index).trim();
  return (
    first !== undefined &&
    (before === '' || statements.some((words) => fills(before, words.join(' ')))) &&
    given.every(({ 0: start, 1: one = '', index }, at) =>
      isSeen(one, call.slice(index + start.length, given[at + 1]?.index).trim()),
    )
  );
}
