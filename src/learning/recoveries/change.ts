import type { Call } from '../calls/call.js';
import { MISSING, namedIn } from '../calls/error-tokens.js';
import { programOf, SETS_UP } from '../calls/shell-line.js';
import { bare, EMPTY, isFlag, isKeyword, isNumber, isOperator, TEXT } from '../calls/tokens.js';
import { type Hunk, hunksOf } from './alignment.js';
import { areForms, commandsOf, insertedIn, servesGoal } from './goal.js';

/** What is different about a later call for the same goal. */
export interface Change {
  /**
   * `+token` and `-token` of the edit script. Beside the literal ones stand those with a variable: `⟨e⟩` for a value of
   * the error, `⟨r⟩` for a part of what was replaced, `⟨a⟩` for a part of what replaced it, `⟨n⟩` for a number.
   */
  readonly features: ReadonlySet<string>;
  /** Whole commands that were put in front of it. */
  readonly before: readonly (readonly string[])[];
}

/** With such an option a program only says something about itself. */
export const isAboutItself = (words: readonly string[]): boolean =>
  words.some((word) => /^--(?:version|help)$/.test(word));

/** Returns the difference of a later call to the failed one; undefined if it asks for something else. */
export function changeOf(failed: Call, call: Call): Change | undefined {
  if ((failed.tool === 'shell') !== (call.tool === 'shell')) return undefined;
  const asksOnly = isAboutItself(call.tokens) && !isAboutItself(failed.tokens);
  if (asksOnly || !servesGoal(failed, call)) return undefined;
  if (failed.ofFilter) return { features: new Set(), before: [] };
  const hunks = hunksOf(failed.tokens, call.tokens);
  if (hunks.some((hunk) => asksForAnother(failed, call, hunk))) return undefined;
  const features = new Set(
    hunks.flatMap((hunk) => [...featuresOfRemoved(failed, hunk), ...featuresOfAdded(failed, hunk)]),
  );
  const known = new Set(failed.tokens);
  const before = commandsOf(call)
    .slice(0, -1)
    .filter((words) => !words.every((word) => known.has(word)) && !SETS_UP.test(words[0] ?? ''));
  return { features, before };
}

/**
 * True if an operand was replaced that the error does not name and that is no form of the new one, or a number by one
 * that the error does not offer.
 */
function asksForAnother(failed: Call, call: Call, { removed, added }: Hunk): boolean {
  if (isStatement(failed)) return false;
  const isNamed = namedIn(failed.error);
  const programs = new Set(failed.starts.map((at) => failed.tokens[at]));
  const setUp = setUpOf(failed);
  // Words next to a replaced program are a part of its name: `bundle exec rspec`.
  const isCommand = added.length > 0 && removed.some((one) => programs.has(one));
  const isMissing = MISSING.test(failed.error.join(' '));
  return removed.some((one, at) => {
    if (isOperator(one) || isFlag(one) || one === EMPTY || one.endsWith('=') || programs.has(one) || setUp.has(one))
      return false;
    // Another program takes an operand at another place.
    if (isCommand && (/^[a-z][a-z-]*$/.test(one) || call.tokens.includes(one))) return false;
    if (isNumber(one) && added.some((other) => isNumber(other) && !isNamed(other))) return true;
    // An argument with a wrong name goes together with its text.
    if (one === TEXT) return !isNamedKey(failed, removed[at - 1]);
    // What is not there is found elsewhere; a path with another name is another file, unless the error offers it.
    const isPlace = isMissing && isPath(one) && added.some((other) => !isFlag(other) && !isOperator(other));
    if (isPlace && !added.some((other) => areForms(one, other) || isNamed(other))) return true;
    const isExplained =
      isNamed(one) ||
      isNamedKey(failed, failed.tokens[failed.tokens.indexOf(one) - 1]) ||
      added.some(
        (other) => areForms(one, other) || (other.length >= 3 && isNamed(other) && isPath(one) === isPath(other)),
      );
    return !isExplained;
  });
}

const isPath = (token: string): boolean => /^[^\s:=@]+$/.test(token) && /\/|\.[A-Za-z]\w{0,5}$/.test(token);
const isStatement = ({ program }: Call): boolean => program.includes(' ');

/** The tokens of the failed command itself if it only set up the others: leaving it out is a change. */
function setUpOf(failed: Call): ReadonlySet<string> {
  if (!SETS_UP.test(failed.program)) return new Set();
  return new Set(commandsOf(failed).find(([word]) => programOf(word ?? '') === failed.program));
}

/** True for the key of an argument, `base=`, that the error names: `base`, `max_base` or `Field:base`. */
const isNamedKey = ({ tool, error }: Call, key = ''): boolean =>
  tool !== 'shell' &&
  key.endsWith('=') &&
  error.some((word) => word.toLowerCase().split(/[_:]/).includes(key.slice(0, -1).toLowerCase()));

function* featuresOfRemoved(failed: Call, { removed, added }: Hunk): Generator<string> {
  const isNamed = namedIn(failed.error);
  const setUp = setUpOf(failed);
  for (const one of removed) {
    if (isOperator(one)) continue;
    if (/^".*"$/.test(one) && added.includes(one.slice(1, -1))) yield '-"⟨a⟩"';
    if (isStatement(failed) && isKeyword(one)) continue;
    // No error can name an empty word.
    if (!isNamed(one) && !setUp.has(one) && one !== EMPTY) continue;
    yield `-${one}`;
    if (isNamed(one)) yield '-⟨e⟩';
    const part = added.find((other) => other.length >= 3 && one !== other && one.includes(other));
    if (part !== undefined) yield `-${one.replace(part, '⟨a⟩')}`;
  }
}

function* featuresOfAdded(failed: Call, { removed, added }: Hunk): Generator<string> {
  const isNamed = namedIn(failed.error);
  for (const one of added) {
    if (one === TEXT || isOperator(one) || (isStatement(failed) && isKeyword(one))) continue;
    yield isNumber(one) && !isNamed(one) ? '+⟨n⟩' : `+${one}`;
    const inside = removed.map(bare).find((other) => other.length >= 3 && one !== other && one.includes(other));
    if (inside !== undefined) yield `+${one.replace(inside, '⟨r⟩')}`;
    for (const other of removed) {
      const found = one.includes(other) ? undefined : insertedIn(other, one);
      if (found) yield `+⟨i⟩${found.added}⟨r⟩`;
    }
    if (one.length >= 3 && isNamed(one)) yield '+⟨e⟩';
  }
}
