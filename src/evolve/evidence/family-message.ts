import { withoutWrapper } from '../../capture/errors/decisive-line.js';
import { errorKind } from '../../capture/errors/error-kind.js';
import { statementProblem } from '../../capture/errors/statement-problem.js';

/** A failure as far as its family depends on it. */
export interface FailureIdentity {
  readonly tool: string;
  /** The failing action, coarse. */
  readonly action: string;
  readonly errorClass: string;
  /** The template of its decisive error line. */
  readonly template: string;
}

/** How a family is recognised. Failures of one cause are one family, whatever the words; others by their words. */
export type FamilyCause =
  | { readonly by: 'cause'; readonly cause: string }
  | { readonly by: 'words'; readonly message: string };

/** Templates of failures that say nothing. Two of them have nothing in common but the action. */
const SAYS_NOTHING = /(?:, no output|, its end cut off)$/;
/** Words that every error has, and words without a meaning. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'the and for was are with this that your you from please try more file line error path has have not its'.split(' '),
);
const MOST_WORDS = 16;
/** A message with fewer words in its first clause is read further. */
const OPENING_WORDS = 3;
/** The shell names itself, the script that it runs and the line in front of its message. */
const SHELL_POSITION = /^.{0,200}?: (?:-c: )?line \[n\]: (?=\S)/;
/** Any program says that a path does not exist. */
const PATH_SPEAKER = /^[\w.+-]{1,40}: (?=(?:\[path\]|\{\}): |No such file)/;
/** What was sent is no command at all: a fence of code or a text. */
const NO_COMMAND: ReadonlySet<string> = new Set(['[code]', '[text]']);

/** Classes of errors that programs report in different words, but that are one problem in all of them. */
const ONE_PROBLEM: ReadonlySet<string> = new Set(
  'shell-syntax script-syntax prose bad-option permission-denied timeout auth-failed'.split(' '),
);
/** Paths that a shell, a package manager or a pattern looks for: each has its own remedies. */
const OWN_PATHS: ReadonlySet<string> = new Set('no-such-directory pip-invalid-requirement no-glob-match'.split(' '));

/** Any program, in its own words: a path does not exist. */
const MISSING_PATH = /^[\w.+[\]-]{1,40}: .{0,160}\bNo such file or directory/i;
/** The braces of a template that nothing replaced. */
const BRACES = /^[\w.+-]{1,40}: \{\}: No such file/;
/** The shell reads `<name>` as a redirection that lacks its target. */
const NO_TARGET = /unexpected token .newline/;

/** What identifies the family of a failure, apart from similar messages. Linear in the length of the template. */
export function familyCause(failure: FailureIdentity): FamilyCause {
  const { tool, action, errorClass, template } = failure;
  if (tool === 'shell' && NO_COMMAND.has(action)) return named('content', action);
  const cause = causeOf(failure);
  if (cause !== undefined) return named('class', cause);
  const message = withoutWrapper(template.replace(SHELL_POSITION, '').replace(PATH_SPEAKER, ''));
  const saysNothing = SAYS_NOTHING.test(template) || ownWords(message).next().done;
  return saysNothing ? named('action', tool, action, errorClass, template) : { by: 'words', message };
}

const named = (...parts: string[]): FamilyCause => ({ by: 'cause', cause: JSON.stringify(parts) });

function causeOf({ tool, errorClass, template }: FailureIdentity): string | undefined {
  const kind = errorKind(errorClass, template);
  if (kind === 'wrong-path') return pathCause(tool, errorClass, template);
  if (errorClass === 'shell-syntax' && NO_TARGET.test(template)) return 'redirection without a target';
  return kind ?? (ONE_PROBLEM.has(errorClass) ? errorClass : statementProblem(template));
}

/** A tool other than a shell may run commands as well: then a program says what is wrong. */
function pathCause(tool: string, errorClass: string, template: string): string | undefined {
  if (BRACES.test(template)) return 'unreplaced braces';
  if (OWN_PATHS.has(errorClass) && tool === 'shell') return errorClass;
  if (errorClass === 'file-not-found' && MISSING_PATH.test(template)) return 'missing path';
  return tool === 'shell' ? undefined : 'wrong-path of a tool';
}

/** The words of the opening of a message that tell it from others. */
export function wordsOf(message: string): Set<string> {
  return new Set(ownWords(message));
}

/** A name of code, such as `config.newClient` or `read_rows`: what the message is about, not what it says. */
const NAME_OF_CODE =
  /(?<![\w.*])(?!\w{0,60}(?:Error|Exception|Warning)(?!\w))\*?\w{0,60}(?:[a-z][A-Z]|\w_\w|\w\.[A-Za-z])[\w.]{0,120}/g;

/** The words without names of code, unless these say all. */
function* ownWords(message: string): Generator<string> {
  const said = wordsIn(message.replace(NAME_OF_CODE, ' '));
  const first = said.next();
  if (first.done) return yield* wordsIn(message);
  yield first.value;
  yield* said;
}

/** Lazy: only the most frequent messages are compared by all their words. */
function* wordsIn(message: string): Generator<string> {
  const words = new Set<string>();
  for (const clause of message.replace(/\[\w{1,10}\]/g, ' ').split(/[.:;,](?= )/, MOST_WORDS)) {
    for (const [word] of clause.toLowerCase().matchAll(/\p{L}{3,60}|\{\}/gu)) {
      if (STOP_WORDS.has(word) || words.has(word) || words.size >= MOST_WORDS) continue;
      words.add(word);
      yield word;
    }
    if (words.size >= OPENING_WORDS) return;
  }
}
