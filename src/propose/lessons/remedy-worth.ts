import type { Obstacle } from '../../capture/analysis/payload.schema.js';
import { wordsOfLine } from '../../evidence/calls/call-words.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { selectsChecks } from '../../untrusted/danger/check-commands.js';
import { WITHHELD } from '../../untrusted/text/quote-or-withhold.js';
import { callDifference, changedArguments, hidesContent, showsDifference, trimCommon } from './call-difference.js';
import { programName } from './lesson-text.js';

type ShownObstacle = Obstacle & { readonly failed: ShownCall };

/** The harness refuses a reply that is not in its form. No call is the reason, and none the remedy. */
const MALFORMED_REPLY =
  /\b(?:exactly one|did not contain|no|more than one|multiple|invalid|malformed)\b.{0,40}\b(?:actions?|code blocks?|tool calls?)\b|\b(?:your (?:last|previous)|triple backticks)\b/i;
const MISSING_FILE = /\b(?:no such file|does not exist|cannot (?:find|open|stat)|can't open)\b/i;
/** A failing check or program of the agent's own work is that work, and no lesson. */
const OWN_WORK = /^(?:run|test|lint):/;
const OPERATOR = /^(?:&&|\|\|?|;|&)$/;
const LOOKS_FOR_FILES = /^(?:ls|find|cat|head|tail|stat|file|tree|fd|locate)$/;
/** Files whose name says what an edit is for, although its text is not shown. */
const CONFIGURATION =
  /(?:\.(?:json|toml|ini|cfg|ya?ml|xml|lock|conf|env|properties|gradle|mod)|\/?\.\w{1,20}rc|(?:^|\/)(?:Makefile|Dockerfile|Gemfile|requirements[\w.-]{0,30}\.txt))["'}\s]{0,4}$/;
const EDITING_TOOL = /(?:^|[_-])(?:write|edit|multiedit|notebookedit|str_replace|create|replace|apply_patch)/i;

/** Returns whether the failure is one of the agent's own code, and says nothing about its tools. */
export const isOwnFailure = ({ purpose, stage }: Obstacle): boolean => OWN_WORK.test(purpose) && stage === 'run';

/** Returns whether the error says something about the call, and not only that something failed. */
export function saysWhy(errorLine: string): boolean {
  const line = errorLine.trim();
  return (
    line !== WITHHELD && !/[:=_]$|^collected \d/.test(line) && !MALFORMED_REPLY.test(line) && /\p{L}{3}/u.test(line)
  );
}

/** Returns whether the calls before the success are steps that another agent can take. */
export function areSteps(obstacle: ShownObstacle, worked: ShownCall): boolean {
  const { how, failed, between } = obstacle;
  const isSame = failed.tool === worked.tool && failed.call === worked.call;
  if (isSame && /^\s*\{\s*\}\s*$/.test(worked.call)) return false;
  if (how === 'relocate')
    return !isSame && between.every((call) => !looksAgain(failed, call)) && isRelated(failed, worked);
  const edits = between.filter(isEdit);
  return edits.length === 0 || (edits.every(editsConfiguration) && !isOwnFailure(obstacle));
}

/** Returns whether the call that worked shows a change that overcomes the error, and does not give up a part of it. */
export function isRemedy(obstacle: ShownObstacle, worked: ShownCall): boolean {
  const { failed, errorLine } = obstacle;
  if (!showsDifference(failed, worked)) return false;
  if (failed.tool !== worked.tool) return true;
  if (failed.tool !== 'shell') return changesNamedArgument(failed, worked, errorLine);
  const change = changeOf(failed, worked);
  if (hidesError(worked, change, errorLine) || dropsOperand(change, failed, worked, errorLine)) return false;
  if (isOwnProgram(obstacle, worked, change)) return false;
  if (change.added.length === 0) return change.removed.some((word) => isNamed(word, errorLine));
  if (change.removed.length === 0 || callDifference(failed, worked) !== undefined) return true;
  return isRelated(failed, worked, obstacle.action);
}

interface Change {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

function changeOf(failed: ShownCall, worked: ShownCall): Change {
  const [before, after] = trimCommon(wordsOfLine(failed.call), wordsOfLine(worked.call));
  return {
    added: after.filter((word) => !before.includes(word)),
    removed: before.filter((word) => !after.includes(word)),
  };
}

const isFlag = (word: string): boolean => word.startsWith('-');
const isOperand = (word: string): boolean => !isFlag(word) && !OPERATOR.test(word);
const nameIn = (word: string): string =>
  word
    .replace(/["'`]/g, '')
    .replace(/\/{1,9}$/, '')
    .split('/')
    .at(-1) ?? '';
const isNamed = (word: string, errorLine: string): boolean => {
  const name =
    nameIn(word)
      .replace(/^-{1,2}/, '')
      .split('=')[0] ?? '';
  return name.length > 0 && errorLine.toLowerCase().includes(name.toLowerCase());
};

/** `rm -f` and `--quiet` do not report the error any more; the reason for it stays. */
function hidesError(worked: ShownCall, { added }: Change, errorLine: string): boolean {
  if (added.some((word) => /^--(?:force|quiet|silent|ignore-[\w-]{1,40}|no-messages|status)$/.test(word))) return true;
  const isForced = added.some((word) => /^-[a-zA-Z]{0,4}f[a-zA-Z]{0,4}$/.test(word));
  return isForced && MISSING_FILE.test(errorLine) && programName(worked) === 'rm';
}

/** A missing file is no longer asked for, or another one is: the goal changed, not the way to it. */
function dropsOperand({ added, removed }: Change, failed: ShownCall, worked: ShownCall, errorLine: string): boolean {
  if (!MISSING_FILE.test(errorLine)) return false;
  if (LOOKS_FOR_FILES.test(programName(failed)) && programName(failed) === programName(worked))
    return !added.some(isFlag) || added.some(isOperand);
  if (removed.some((word) => isFlag(word) || OPERATOR.test(word))) return false;
  const kept = new Set(wordsOfLine(worked.call).map(nameIn));
  const gone = removed.filter((word) => isOperand(word) && !kept.has(nameIn(word)));
  const isSameProgram = programName(failed) === programName(worked);
  return isSameProgram && gone.length > 0 && (added.length === 0 || added.some(isOperand));
}

/** Another script or test in place of one whose code failed is the work itself, and so is a part of the tests. */
function isOwnProgram(obstacle: ShownObstacle, worked: ShownCall, { added }: Change): boolean {
  const { failed } = obstacle;
  const program = programName(failed);
  const words = wordsOfLine(worked.call);
  const checker = /test/i.test(program) ? ['pytest', ...words] : words;
  // `python -m pytest` names a module; `pytest -m` selects tests.
  const isModule = /^python/.test(programName(worked));
  const options = added.filter((word) => isFlag(word) && !(isModule && word === '-m'));
  if (options.some((word) => selectsChecks(checker, word.split('=')[0] ?? ''))) return true;
  if (!isOwnFailure(obstacle) || !words.some((word) => nameIn(word) === program)) return false;
  return !showsOneSetting(failed, worked);
}

/** Returns whether the calls differ by one flag, one variable or one version. */
const showsOneSetting = (failed: ShownCall, worked: ShownCall): boolean =>
  /`(?:-|v?\d|[A-Za-z_]\w{0,60}=)/.test(callDifference(failed, worked) ?? '');

/** Fewer elements of a list, or another choice of what is done, is another goal unless the error names the argument. */
function changesNamedArgument(failed: ShownCall, worked: ShownCall, errorLine: string): boolean {
  const changed = changedArguments(failed, worked);
  if (changed === undefined) return callDifference(failed, worked) !== undefined;
  const isExplained = ({ key, from, to }: (typeof changed)[number]): boolean => {
    if (from === undefined || from === '' || isNamed(key, errorLine)) return true;
    if (to === undefined) return changed.length === 1;
    if (isShorterList(from, to)) return false;
    return (
      REFUSES_VALUE.test(errorLine) || from.split(/[^\p{L}\p{N}_]+/u, 200).some((part) => isMentioned(part, errorLine))
    );
  };
  return (
    changed.length > 0 &&
    (changed.length < 3 ? changed.every(isExplained) : changed.every(({ to }) => to === undefined))
  );
}

const isMentioned = (part: string, errorLine: string): boolean => part.length > 2 && isNamed(part, errorLine);
/** Errors that refuse a value or an address without naming it. */
const REFUSES_VALUE =
  /\b(?:invalid|syntax|unexpected|expect(?:ed|s)|must|should|required|missing|unknown|unsupported|not (?:found|allowed|supported)|denied|4\d\d|5\d\d|malformed|ambiguous|type)\b/i;

const isShorterList = (from: string, to: string): boolean =>
  from.startsWith('[') && to.startsWith('[') && to.length < from.length;

/** A step that looks with the program that failed repeats the failure. */
const looksAgain = (failed: ShownCall, step: ShownCall): boolean =>
  failed.tool === 'shell' && step.tool === 'shell' && programName(failed) === programName(step);

/** Returns whether the calls have a word in common that names something: a file, a package; not the action that failed. */
function isRelated(failed: ShownCall, worked: ShownCall, action = ''): boolean {
  const names = new Set(namesIn(failed));
  for (const word of action.split(' ')) names.delete(word);
  return namesIn(worked).some((name) => names.has(name));
}

function namesIn({ tool, call }: ShownCall): string[] {
  const words = tool === 'shell' ? wordsOfLine(call) : call.split(/[^\p{L}\p{N}_./-]+/u, 200);
  return words
    .filter((word, at) => isOperand(word) && !(tool === 'shell' && startsCommand(words, at)))
    .map(nameIn)
    .filter((name) => (name.length > 2 || name === '.') && !/^<[^>]*>$/.test(name));
}

function startsCommand(words: readonly string[], at: number): boolean {
  const before = words[at - 1];
  return before === undefined || OPERATOR.test(before) || /^(?:do|then|else|if|while)$|;$/.test(before);
}

/** Returns whether the call writes or changes a file whose new text is not shown. */
function isEdit(call: ShownCall): boolean {
  if (call.tool !== 'shell') return EDITING_TOOL.test(call.tool);
  return hidesContent(call) && /<(?:file text|script|patch|old text|new text|text)>/.test(call.call);
}

const editsConfiguration = ({ tool, call }: ShownCall): boolean => tool !== 'shell' && CONFIGURATION.test(call);
