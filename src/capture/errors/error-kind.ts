/**
 * Kinds of errors that many programs share. Only kinds that can have the same remedy for every program are listed; the
 * evidence decides later whether they do.
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

/** How far a call came before it failed: it did not start, it did not load, or it ran. */
export type FailureStage = 'start' | 'load' | 'run';

const NOT_STARTED: ReadonlySet<string> = new Set(
  'bad-option shell-syntax script-syntax prose InputValidationError unknown-tool file-not-read too-large npm-missing-script make-no-rule'.split(
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

/** Name for all tools that read or search files, in patterns of a kind of error. */
const FILE_TOOLS = 'files';

/** The tool that a lesson about a kind of error names; undefined for tools that have no kinds. */
export function kindTool(tool: string, purpose: string): string | undefined {
  if (tool === 'shell') return tool;
  return purpose.startsWith('file:') ? FILE_TOOLS : undefined;
}
