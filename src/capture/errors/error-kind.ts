/**
 * What is behind errors of many programs: the same thing is wrong whoever says so. Only kinds whose remedy can be the
 * same for every program are named; whether it is, the evidence decides later.
 */
export type ErrorKind = 'wrong-path' | 'missing-module' | 'missing-command';

const WRONG_PATH: ReadonlySet<string> = new Set(
  'no-such-directory file-not-found path-not-found pip-invalid-requirement ENOENT ENOTDIR no-glob-match'.split(' '),
);
const MISSING_MODULE: ReadonlySet<string> = new Set(['ModuleNotFoundError', 'MODULE_NOT_FOUND']);
const NO_SUCH_PATH = /no such file|not a git repository|cannot change to|does not exist in/i;

export function errorKind(errorClass: string, template: string): ErrorKind | undefined {
  if (WRONG_PATH.has(errorClass)) return 'wrong-path';
  if (errorClass === 'exit-128 fatal') return NO_SUCH_PATH.test(template) ? 'wrong-path' : undefined;
  if (errorClass === 'command-not-found') return 'missing-command';
  if (MISSING_MODULE.has(errorClass)) return 'missing-module';
  return errorClass === 'ImportError' && /No module named/i.test(template) ? 'missing-module' : undefined;
}

/** How far a call came before it failed: it was not started, it was not loaded, or it ran. */
export type FailureStage = 'start' | 'load' | 'run';
const ORDER: readonly FailureStage[] = ['start', 'load', 'run'];

const NOT_STARTED: ReadonlySet<string> = new Set(
  'bad-option shell-syntax InputValidationError unknown-tool file-not-read too-large npm-missing-script make-no-rule'.split(
    ' ',
  ),
);
const NOT_LOADED: ReadonlySet<string> = new Set(
  'SyntaxError IndentationError TabError ImportError collection-error'.split(' '),
);

export function failureStage(errorClass: string, template: string): FailureStage {
  const kind = errorKind(errorClass, template);
  if (kind === 'wrong-path' || kind === 'missing-command' || NOT_STARTED.has(errorClass)) return 'start';
  return kind === 'missing-module' || NOT_LOADED.has(errorClass) ? 'load' : 'run';
}

/** The second call failed only after it had passed the point at which the first one failed: of that, it says nothing. */
export function failedLater(first: FailureStage, second: FailureStage): boolean {
  return ORDER.indexOf(second) > ORDER.indexOf(first);
}

/** File tools name the path that does not exist; the data that reaches us may have lost the argument. */
export function missingPathIn(message: string): string {
  return /\b(?:Path|File|Directory) does not exist: ([^\s<]{1,300})/.exec(message.slice(0, 1_000))?.[1] ?? '';
}

/** Stands for every tool that reads or searches files, in patterns of a kind of error. */
export const FILE_TOOLS = 'files';

/** The tools that lessons on a kind of error speak of; undefined for tools that have no kinds. */
export function kindTool(tool: string, purpose: string): string | undefined {
  if (tool === 'shell') return tool;
  return purpose.startsWith('file:') ? FILE_TOOLS : undefined;
}
