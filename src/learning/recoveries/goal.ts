import type { Call } from '../calls/call.js';
import { CALLS_WRONG, MISSING, namedIn } from '../calls/error-tokens.js';
import { programOf, SETS_UP } from '../calls/shell-line.js';
import { bare, isFlag, isKeyword, isNumber, isOperator, TEXT } from '../calls/tokens.js';

/** Shares of the failed call's tokens that a later call for the same goal has: with its program, with another one. */
const SHARE = { same: 0.5, other: 0.6, form: 0.8 } as const;
/** So many words of two lines are compared for other spellings. Two lines of a hundred words would take too long. */
const MOST_PAIRS = 1_000;

/**
 * Commands that only show something. As a step, what they look at must be named; and none of them does what another
 * program was to do: `cat` of a file of tests runs no test.
 */
const LOOKS =
  /^(?:(?:ls|cat|echo|pwd|head|tail|grep|rg|find|which|sleep|sed|awk|wc|file|stat|less|tree)(?: |$)|git (?:status|diff|log|show))/;
/** An editor in place of a filter. */
const IN_PLACE = /^sed .*(?<= )(?:-[A-Za-z]*i\S*|--in-place\S*)(?: |$)/;
export const onlyLooks = (command: string): boolean => LOOKS.test(command) && !IN_PLACE.test(command);

/** The simple commands of a call, each as its tokens; the call itself for a tool that is no shell. */
export function commandsOf({ tokens, starts, tool }: Call): string[][] {
  if (tool !== 'shell') return [[...tokens]];
  return starts.map((start, index) => tokens.slice(start, starts[index + 1]).filter((token) => !isOperator(token)));
}

/**
 * Returns whether a later call serves the goal of the failed one: it shares most of what that asks for, apart from what
 * the error calls wrong. With another program it needs all operands, and the error blames the first one or runs it.
 */
export function servesGoal(failed: Call, call: Call): boolean {
  const isWrong = CALLS_WRONG.test(failed.error.join(' ')) ? namedIn(failed.error) : () => false;
  const from = failed.starts.find((start) => !SETS_UP.test(failed.tokens[start] ?? '')) ?? 0;
  const named = failed.tokens.slice(from).filter((one) => one !== TEXT && !isOperator(one) && !isWrong(one));
  // What a statement asks for are its names: another question has the same key words.
  const asked = failed.program.includes(' ') ? named.slice(1).filter((one) => !isKeyword(one)) : named;
  const own = new Set(call.tokens);
  const sharedOf = (wanted: readonly string[]): number[] => {
    const others = wanted.filter((one) => !own.has(one)).length * call.tokens.length > MOST_PAIRS ? [] : call.tokens;
    return wanted.map((one) => {
      if (own.has(one)) return 1;
      return others.some((other) => areForms(one, other)) ? SHARE.form : 0;
    });
  };
  const shared = sharedOf(asked);
  const share = shareOf(shared);
  if (failed.tool !== 'shell') {
    if (call.program === failed.program) return share >= SHARE.same;
    // What another editor writes is another text.
    if (failed.isEdit) return false;
    // Another tool for the same arguments; a tool with another name needs values that show it.
    const args = failed.tokens.slice(1).filter((one) => one !== TEXT);
    const isKin = areForms(failed.program, call.program) || args.some((one) => !one.endsWith('='));
    return isKin && args.length > 0 && args.every((one) => own.has(one));
  }
  if (looksInstead(failed, call)) return false;
  const programs = commandsOf(call).map(([word]) => programOf(word ?? ''));
  const isSame = programs.includes(failed.program);
  // What is asked of the program, each once: to share its name alone is another goal.
  const rest = [...new Set(asked)].filter((one) => programOf(one) !== failed.program);
  if (asked.length === 0 || isSame) return isSame && shareOf(sharedOf(rest)) >= SHARE.same;
  // Another program that is given the failed one and none of its arguments: `rm ./tool` after `./tool enabl`.
  const isGiven = rest.length === 0 && failed.tokens.length > asked.length && own.has(failed.tokens[0] ?? '');
  if (share >= SHARE.other && !isGiven) return shared.some((one) => one >= SHARE.form);
  return replacesProgram(failed, call, asked, isWrong);
}

const shareOf = (shared: readonly number[]): number =>
  shared.length === 0 ? 1 : shared.reduce((sum, one) => sum + one, 0) / shared.length;

/** The error says that the program is not there. */
const isAbsent = ({ error }: Call): boolean => /command not found|not recogni[sz]ed|not found$/.test(error.join(' '));

/** Every command of the line only looks. */
export const isLook = (call: Call): boolean =>
  call.tool === 'shell' && commandsOf(call).every((words) => onlyLooks(words.join(' ')));

/** Only looks, and the failed line does not; a program that is not there has others in its place: `grep` for `rg`. */
const looksInstead = (failed: Call, call: Call): boolean =>
  !isAbsent(failed) && isLook(call) && !commandsOf(failed).some((words) => onlyLooks(words.join(' ')));

/** Another program for the same operands, because the error blames the first one, or because it runs it. */
function replacesProgram(
  failed: Call,
  call: Call,
  asked: readonly string[],
  isWrong: (token: string) => boolean,
): boolean {
  const heads = failed.starts.map((start) => failed.tokens[start]);
  // If the program is missing, short words identify what it was given as well.
  const isDistinct = isAbsent(failed) ? /^[^\d-]/ : /[/.:[]|\w{8}/;
  const operands = asked.filter((one) => !isFlag(one) && isDistinct.test(one) && !heads.includes(one));
  const [program = ''] = call.tokens;
  const [head = ''] = heads;
  // A program that says which path is not there is not what the error calls wrong.
  const isSpeaker = failed.error[0] === head && MISSING.test(failed.error.join(' '));
  const isInstead =
    (isWrong(head) && !isSpeaker) || failed.tokens.slice(0, 3).some((one) => program !== one && areForms(one, program));
  const own = new Set(call.tokens);
  return isInstead && operands.length > 0 && operands.every((one) => own.has(one));
}

/** Two spellings of one thing: `tests/a.py` and `a.py`, `teachers` and `teacher`, `build` and `zigbuild`. */
export function areForms(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [bare(one), other] : [bare(other), one];
  if (short === long || short.length < 3) return short === long;
  if (isNumber(short))
    return long === `"${short}"` || (long.endsWith(short) && /[A-Za-z_-]$/.test(long.slice(0, -short.length)));
  return (
    insertedIn(short, long) !== undefined ||
    long.toLowerCase().includes(short.toLowerCase()) ||
    (short.includes('/') && short.slice(short.lastIndexOf('/')) === long.slice(long.lastIndexOf('/')))
  );
}

/** What is new inside of a token: `refs/for/` in `HEAD:refs/for/main`, and the part behind it. */
export function insertedIn(short: string, long: string): { readonly added: string; readonly rest: string } | undefined {
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  const rest = short.slice(start);
  if (short.length < 6 || start === 0 || rest.length < 2 || !long.endsWith(rest)) return undefined;
  return { added: long.slice(start, long.length - rest.length), rest };
}
