import type { AnsweredLesson } from '../../evidence/answers/lesson-answer.schema.js';
import { argumentsOf } from '../../evidence/calls/call-instance.js';
import { readCallWords } from '../../evidence/calls/call-role.js';
import type { Dossier } from '../../evidence/dossier/dossier.schema.js';
import type { EvidenceText } from '../../evidence/gates/evidence-text.js';
import { type CallTest, compileMatchers } from '../../evidence/predicate/compiled-predicate.js';
import { compilePattern } from '../../evidence/predicate/pattern.js';
import { wordsOfPattern } from '../../evidence/predicate/pattern-text.js';
import type { Matcher, Matchers, Predicate } from '../../evidence/predicate/predicate.schema.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { clip } from '../../untrusted/text/clip.js';
import { asList } from '../evidence/matched-calls.js';
import type { RecordedCall } from '../evidence/recorded-execution.js';
import { type ExampleCall, isShown, recordedCallOf } from './dossier-calls.js';

/** The calls of a dossier that show a lesson, as the dossier holds them and as a predicate reads them. */
export interface ShownLesson {
  readonly failed: ExampleCall;
  readonly between: readonly ExampleCall[];
  readonly worked: ExampleCall;
  readonly before: RecordedCall;
  /** The calls between that do what the lesson says, and the one that worked. */
  readonly steps: readonly RecordedCall[];
  readonly after: RecordedCall;
}

/**
 * Compares a predicate with the example that its writer chose, before anything is counted. `problem`: what is wrong, in a
 * sentence for the writer. `shown`: null for a lesson about the start of an execution, or about whole executions, whose
 * writer chose no example.
 */
export function shownLesson(
  { example: { number, worked } }: Pick<AnsweredLesson, 'example'>,
  predicate: Predicate,
  dossier: Dossier,
  evidence: EvidenceText,
): { readonly shown: ShownLesson | null } | { readonly problem: string } {
  const general = tooGeneral(predicate) ?? namelessPart(predicate);
  if (general !== undefined) return { problem: general };
  const { when, follow } = predicate;
  const example = dossier.examples[number - 1];
  if (!example) {
    if (number === 0 && !when) return { shown: null };
    return { problem: `There is no example ${number}: choose one of the ${dossier.examples.length} examples.` };
  }
  const before = recordedCallOf(example.failed, 0);
  const where = `example ${number}`;
  if (when && !compileMatchers(when)(before))
    return { problem: `\`when\` does not match the failed call of ${where}: ${textOf(example.failed)}` };
  if (!when || !follow) return { shown: shownWithoutFailure(example, worked) };
  const follows = compileMatchers(follow);
  if (follows(before, before))
    return {
      problem: `\`follow\` also matches the failed call of ${where}, so that it tells no remedy from the failure.`,
    };
  if (namesNothing(asList(follow), before))
    return {
      problem:
        'A matcher of `follow` names nothing that the failed call lacks: name a program, flag, key, tool or file.',
    };
  // none of the examples shows it: then the figures must, and the reviewer sees no pair of calls
  if (worked === 0) return unshown(asList(follow), evidence);
  const later = example.later.map((call, at) => recordedCallOf(call, at + 1));
  const chosen = example.later[worked - 1];
  const after = later[worked - 1];
  if (!chosen || !after)
    return {
      problem: `${capital(where)} has no later call ${worked}: choose the one of its ${later.length} that worked.`,
    };
  if (chosen.ok !== true || !isShown(chosen))
    return { problem: `Later call ${worked} of ${where} did not work: ${textOf(chosen)}` };
  const path = later.slice(0, worked);
  const problem = followProblem(predicate, follows, { before, path, after }, `later call ${worked} of ${where}`);
  if (problem !== undefined) return { problem };
  const dropped = droppedOperand(before, after);
  if (dropped !== undefined)
    return {
      problem: `Later call ${worked} of ${where} leaves out \`${dropped}\`, which the error does not name: it asks for something else.`,
    };
  return {
    shown: {
      failed: example.failed,
      worked: chosen,
      before,
      after,
      between: example.later.slice(0, worked - 1).filter((one, at) => isStep(one, later[at], before, follows)),
      steps: path.filter((call) => follows(call, before)),
    },
  };
}

/** What no example shows must at least be in the dossier: the words that tell the calls that worked. */
function unshown(follow: readonly Matcher[], evidence: EvidenceText): { shown: null } | { problem: string } {
  const unknown = follow.flatMap(({ args, adds, action, tool }) => {
    const words = [args, adds, action, tool].filter((one) => one !== undefined).map(wordsOfPattern);
    return words.filter((own) => own.length > 0 && !own.some((word) => evidence.holdsWord(word)));
  });
  const [first] = unknown;
  if (first === undefined) return { shown: null };
  return { problem: `\`follow\` asks for \`${first.join(' ')}\`, which the dossier does not hold.` };
}

const isStep = (shown: ExampleCall, call: RecordedCall | undefined, failed: RecordedCall, follows: CallTest): boolean =>
  call !== undefined && isShown(shown) && shown.ok === true && follows(call, failed);

/** Of runs the step and what it prepared; nothing failed. */
function shownWithoutFailure(example: Dossier['examples'][number], worked: number): ShownLesson | null {
  const chosen = example.later[worked - 1];
  if (chosen?.ok !== true || !isShown(chosen) || example.failed.ok !== false) return null;
  const [before, after] = [recordedCallOf(example.failed, 0), recordedCallOf(chosen, worked)];
  return { failed: example.failed, between: [], worked: chosen, before, steps: [], after };
}

function followProblem(
  { attempt }: Predicate,
  follows: CallTest,
  { before, path, after }: { before: RecordedCall; path: readonly RecordedCall[]; after: RecordedCall },
  what: string,
): string | undefined {
  if (!attempt)
    return follows(after, before) ? undefined : `\`follow\` does not match ${what}: ${clip(after.text, 200)}`;
  if (!compileMatchers(attempt)(after, before)) return `\`attempt\` does not match ${what}: ${clip(after.text, 200)}`;
  const isPrepared = path.some((call) => call !== after && follows(call, before));
  return isPrepared ? undefined : `\`follow\` matches no call between the failed call and ${what}.`;
}

/** Texts that have nothing in common: a pattern that matches all of them says nothing. */
const PROBES = ['a', 'Z 7', '-', '{"k":1}', 'no such thing: 42'] as const;
const saysNothing = (pattern: string): boolean => PROBES.every((text) => compilePattern(pattern).test(text));
const says = (pattern: string | undefined): boolean => pattern !== undefined && !saysNothing(pattern);

/** A text of letters alone, `[a-z]+`, is in nearly every error. */
const isName = (pattern: string | undefined): boolean => pattern !== undefined && says(pattern) && hasName(pattern);

/** A condition that holds for any failure of a shell, or for any failure at all. */
function tooGeneral({ when, covers }: Predicate): string | undefined {
  const isNamed = ({ tool, action, error, args }: Matcher): boolean =>
    isName(error) ||
    isName(args) ||
    action !== undefined ||
    (tool !== undefined && !saysNothing(tool) && !meansShell(tool));
  for (const [name, matchers] of Object.entries({ when, covers }))
    if (matchers && !asList(matchers).every(isNamed))
      return `\`${name}\` holds for failures of any kind: name the error, as the dossier shows it.`;
  return undefined;
}

const meansShell = (tool: string): boolean => tool.split('|').some(isShellTool);

/** A lesson about the start of an execution, or about whole ones, must say what to do. */
function namelessPart({ start, execution }: Predicate): string | undefined {
  const isNamed = (matchers: Matchers | undefined): boolean =>
    matchers === undefined ||
    asList(matchers).every(
      (one) => patternsOf(one).some(says) || one.action !== undefined || one.notAction !== undefined,
    );
  if (start && ![start.action, start.form, start.prior].every(isNamed))
    return 'A matcher of `start` names nothing: name a program, flag, key, tool or file.';
  if (execution && !Object.values(execution).every(isNamed))
    return 'A matcher of `execution` names nothing: name a program, flag, key, tool or file.';
  return undefined;
}

const patternsOf = ({ tool, notTool, args, notArgs, adds, drops, error }: Matcher): string[] =>
  [tool, notTool, args, notArgs, adds, drops, error].filter((one) => one !== undefined);

/**
 * Other arguments, or another tool, are no action; nor is the tool or the program that failed. To leave out what the error
 * names is one only if the action stays the same, because any other call leaves it out as well.
 */
function namesNothing(follow: readonly Matcher[], failed: RecordedCall): boolean {
  const isOther = (matcher: Matcher): boolean => !compileMatchers(matcher)(failed);
  return !follow.every(({ tool, action, args, notArgs, adds, drops, sameAction, ...values }) => {
    const isText = [args, adds, notArgs, drops].some((one) => one !== undefined && says(one) && hasName(one));
    const isElsewhere =
      (tool !== undefined && says(tool) && isOther({ tool })) || (action !== undefined && isOther({ action }));
    const isValue = values.errorValueInArgs !== undefined || values.sumAmountsEqualsError !== undefined;
    return isText || isElsewhere || isValue || (values.errorValueNotInArgs !== undefined && sameAction === true);
  });
}

/** A pattern of classes alone names nothing; a mark such as a code fence does. */
const hasName = (pattern: string): boolean => /[A-Za-z]{2}|```|--/.test(pattern.replace(/\\[a-zA-Z]/g, ' '));

/**
 * What the call that worked leaves out of the request, without another value in its place, although the error does not
 * name it; undefined if nothing. Arguments of a tool may go, since its schema says whether they belong there; elements of
 * a list may not.
 */
function droppedOperand(failed: RecordedCall, worked: RecordedCall): string | undefined {
  if (failed.goal !== worked.goal) return undefined;
  const [before, after] =
    failed.tool === 'shell'
      ? [operandsOf(failed.text), operandsOf(worked.text)]
      : [elementsOf(failed.text), elementsOf(worked.text)];
  const gone = before.filter((one) => /[\p{L}\p{N}]/u.test(one) && !after.includes(one));
  const come = after.filter((one) => !before.includes(one));
  if (gone.length <= come.length) return undefined;
  const error = failed.error.toLowerCase();
  return gone.find((one) => !namesOf(one).some((name) => error.includes(name)));
}

const namesOf = (operand: string): string[] =>
  [operand, operand.split('/').at(-1) ?? '']
    .map((one) => one.replace(/^["']|["'/]+$/g, '').toLowerCase())
    .filter((one) => one.length > 1);

const operandsOf = (line: string): string[] =>
  readCallWords(line).flatMap(({ role, text, program }) =>
    role === 'operand' && !FOLDER_STEP.test(program) ? [text] : [],
  );

/** Where a command runs is no part of the request. */
const FOLDER_STEP = /^(?:cd|pushd)$/;

/** The elements of the lists among the arguments. */
function elementsOf(call: string): string[] {
  if (argumentsOf(call) === undefined) return [];
  const found: string[] = [];
  const read = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 4) return;
    for (const inner of Object.values(value)) {
      if (Array.isArray(value)) found.push(JSON.stringify(inner));
      read(inner, depth + 1);
    }
  };
  read(parseJson(call), 0);
  return found;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const textOf = ({ call, error }: ExampleCall): string => clip(`${call.call}${error ? ` (${error})` : ''}`, 300);
