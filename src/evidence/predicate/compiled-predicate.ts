import { appliesTo } from '../../learning/lessons/claim.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { compilePattern, compileWholePattern } from './pattern.js';
import { foldCase } from './pattern-text.js';
import { type Matcher, type Matchers, matcherList, type Predicate } from './predicate.schema.js';
import type { PredicateCall } from './predicate-call.js';

/** Whether a call matches; `failed`: the failed call that it is compared with. */
export type CallTest = (call: PredicateCall, failed?: PredicateCall) => boolean;

/** Returns a test for the failed calls that a lesson is about; undefined if it is about none. */
export function failureTest({ learned, when, covers }: Predicate): CallTest | undefined {
  if (learned) return ({ read }) => read !== undefined && appliesTo(learned, read);
  const condition = when ?? covers;
  const matches = condition && compileMatchers(condition);
  return matches && ((call) => call.ok === false && matches(call));
}

/** Compiles one matcher, or several of which one must hold. Throws RangeError for a pattern that its schema refuses. */
export function compileMatchers(matchers: Matchers): CallTest {
  const tests = matcherList(matchers).map(compileMatcher);
  const [only] = tests;
  if (tests.length === 1 && only) return only;
  return (call, failed) => tests.some((test) => test(call, failed));
}

/** All tests of one matcher, the cheapest first. */
function compileMatcher(matcher: Matcher): CallTest {
  const tests = [...testsOfCall(matcher), ...testsAgainstFailed(matcher)];
  return (call, failed) => tests.every((test) => test(call, failed));
}

function* testsOfCall({ tool, notTool, action, notAction, args, notArgs, error, ok }: Matcher): Generator<CallTest> {
  if (ok !== undefined) yield (call) => call.ok === ok;
  if (error !== undefined) yield (call) => call.ok === false;
  if (tool !== undefined) yield toolTest(tool);
  if (notTool !== undefined) {
    const test = toolTest(notTool);
    yield (call) => !test(call);
  }
  if (action !== undefined) yield actionTest(action);
  if (notAction !== undefined) {
    const test = actionTest(notAction);
    yield (call) => !test(call);
  }
  if (error !== undefined) {
    const pattern = compilePattern(error);
    yield (call) => pattern.test(call.error);
  }
  if (args !== undefined) {
    const pattern = compilePattern(args);
    yield (call) => pattern.test(call.text);
  }
  if (notArgs !== undefined) {
    const pattern = compilePattern(notArgs);
    yield (call) => !pattern.test(call.text);
  }
}

function* testsAgainstFailed(matcher: Matcher): Generator<CallTest> {
  const { sameAction, sameTool, sameArgs, drops, adds } = matcher;
  if (sameAction !== undefined) yield compared((call, failed) => (call.goal === failed.goal) === sameAction);
  if (sameTool !== undefined) yield compared((call, failed) => (call.tool === failed.tool) === sameTool);
  if (sameArgs !== undefined) yield compared((call, failed) => (call.text === failed.text) === sameArgs);
  if (drops !== undefined) {
    const pattern = compilePattern(drops);
    yield compared((call, failed) => pattern.test(failed.text) && !pattern.test(call.text));
  }
  if (adds !== undefined) {
    const pattern = compilePattern(adds);
    yield compared((call, failed) => pattern.test(call.text) && !pattern.test(failed.text));
  }
  const { errorValueInArgs, errorValueNotInArgs, sumAmountsEqualsError } = matcher;
  if (errorValueInArgs !== undefined)
    yield withErrorValue(errorValueInArgs, (call, value) => call.text.includes(value));
  if (errorValueNotInArgs !== undefined)
    yield withErrorValue(errorValueNotInArgs, (call, value) => !holdsWholeWord(call.text, value));
  if (sumAmountsEqualsError !== undefined)
    yield withErrorValue(
      sumAmountsEqualsError,
      (call, value) => Math.abs(sumOfAmounts(call.text) - Number(value)) <= AMOUNT_TOLERANCE,
    );
}

const compared =
  (test: (call: PredicateCall, failed: PredicateCall) => boolean): CallTest =>
  (call, failed) =>
    failed !== undefined && test(call, failed);

/** The value is the first group of the pattern in the error of the failed call; without one the test does not hold. */
function withErrorValue(source: string, test: (call: PredicateCall, value: string) => boolean): CallTest {
  const pattern = compilePattern(source);
  return compared((call, failed) => {
    const value = pattern.firstGroup(failed.error);
    return value !== undefined && test(call, value);
  });
}

/** A whole name, without case. Names of shells mean every shell, because calls do not tell them apart. */
function toolTest(source: string): CallTest {
  const names = source.toLowerCase().split('|');
  if (names.every((name) => /^[\w-]{1,200}$/.test(name))) {
    const known = new Set(names.some(isShellTool) ? [...names, 'shell'] : names);
    return (call) => known.has(call.tool);
  }
  const pattern = compileWholePattern(source);
  const meansShell = pattern.test('shell') || pattern.test('bash');
  return (call) => (call.tool === 'shell' ? meansShell : pattern.test(call.tool));
}

function actionTest(name: string): CallTest {
  const lower = name.toLowerCase();
  return ({ actions }) => [...actions].some((action) => action.toLowerCase() === lower);
}

/** Prices are often rounded. */
const AMOUNT_TOLERANCE = 0.5;
const AMOUNT = /"amount"\s{0,20}:\s{0,20}(\d{1,15}(?:\.\d{0,15})?)/g;

/** The sum of the arguments `"amount": n` in JSON. */
function sumOfAmounts(text: string): number {
  let sum = 0;
  for (const [, amount] of text.matchAll(AMOUNT)) sum += Number(amount);
  return sum;
}

const isWordCharacter = (char: string): boolean => /^\w$/.test(char);

/** Returns whether a text holds the value, without case, between two boundaries of words. */
function holdsWholeWord(text: string, value: string): boolean {
  const [whole, word] = [foldCase(text), foldCase(value)];
  const isBoundary = (at: number): boolean =>
    isWordCharacter(whole.charAt(at - 1)) !== isWordCharacter(whole.charAt(at));
  for (let at = whole.indexOf(word); at >= 0; at = whole.indexOf(word, at + 1))
    if (isBoundary(at) && isBoundary(at + word.length)) return true;
  return false;
}
