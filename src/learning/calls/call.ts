import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { argumentTokens, type GivenArgument, statementTokens, withSettings } from './argument-tokens.js';
import { errorTokens, errorVocabulary } from './error-tokens.js';
import { FILTERS, programOf, type ShellLine, shellLine } from './shell-line.js';

/** A call of a report, with what is known of its end. Its texts are redacted and masked. */
export interface GivenCall {
  readonly tool: string;
  /** The command line of a shell; of another tool its arguments, if `arguments` does not hold them. */
  readonly action: string;
  readonly arguments?: readonly GivenArgument[] | undefined;
  /** Undefined if nothing says it, or if the call is not to blame for its failure. */
  readonly ok: boolean | undefined;
  /** The line that says why it failed. */
  readonly errorLine?: string | undefined;
  /** All stored lines of the error. */
  readonly errorText?: string | undefined;
  /** Set if calls before it were lost. */
  readonly afterHole?: true | undefined;
}

/** A call as a line of tokens, whatever its tool. Plain data. */
export interface Call {
  /** Its place in the run, from 0. */
  readonly at: number;
  /** `shell`, or the name of the tool in lower case. */
  readonly tool: string;
  readonly tokens: readonly string[];
  /** Places in `tokens` at which commands begin; one for a tool that is no shell. */
  readonly starts: readonly number[];
  /** The program or tool, without folder and version; of a failed line the one that the error blames. */
  readonly program: string;
  /** Undefined: nothing says it, or the result is that of another command. */
  readonly ok: boolean | undefined;
  /** Whether the whole line did: behind a pipe that of its last command. */
  readonly ended: boolean | undefined;
  readonly failed: boolean;
  /** The tokens of the decisive line. */
  readonly error: readonly string[];
  /** The words of the whole error, in lower case. */
  readonly said: ReadonlySet<string>;
  /** True if it changes files. */
  readonly isEdit: boolean;
  /** The name of the file that it changes, without folders. */
  readonly edits: string | undefined;
  /** Set if the error is that of a filter behind the call, so that nothing about the call itself explains it. */
  readonly ofFilter: boolean;
  /** Set if calls between the one before and this one were lost: nothing is derived over them. */
  readonly afterHole?: true;
}

/** Whether two calls have the same tokens. */
export const areSame = (one: Call, other: Call): boolean => one.tokens.join(' ') === other.tokens.join(' ');

/** Alignments are quadratic in the tokens. */
const MOST_TOKENS = 200;
const EDITOR =
  /^(?:edit|multiedit|write|notebookedit|create|str_replace\w{0,20}|apply_patch|write_file|replace|search_replace)$/i;
const SQL_TOOL = /sql|query|database/i;

/** Reads the call at place `at` of a run. Never throws. */
export function callOf(given: GivenCall, at: number): Call {
  const line = lineOf(given);
  const tokens = line.tokens.slice(0, MOST_TOKENS);
  const starts = line.starts.filter((start) => start < MOST_TOKENS);
  const failed = given.ok === false;
  const error = failed ? errorTokens(given.errorLine ?? '', line.program.includes(' ')) : [];
  const isShell = isShellTool(given.tool);
  const speakers = new Set(error.slice(0, 5).flatMap((word) => word.split(':')));
  return {
    at,
    tool: isShell ? 'shell' : given.tool.toLowerCase(),
    tokens,
    starts,
    program: failed && isShell ? blamedProgram(tokens, starts, speakers, line.program) : line.program,
    ok: given.ok === true && line.isHidden ? undefined : given.ok,
    ended: given.ok,
    failed,
    error,
    said: failed ? errorVocabulary(given.errorText ?? given.errorLine ?? '') : new Set(),
    isEdit: line.isEdit,
    edits: isShell ? line.edits : line.isEdit ? editedFile(tokens) : undefined,
    ofFilter: line.isHidden && [...speakers].some((one) => FILTERS.test(one) && !tokens.includes(one)),
    ...(given.afterHole === true ? { afterHole: true } : {}),
  };
}

function lineOf({ tool, action, arguments: given }: GivenCall): ShellLine {
  if (isShellTool(tool)) return shellLine(withSettings(action, given));
  const statement = SQL_TOOL.test(tool) ? statementTokens(action, given) : undefined;
  return {
    tokens: [tool, ...(statement ?? argumentTokens(action, given))],
    starts: [0],
    program: [tool.toLowerCase(), ...(statement?.slice(0, 1) ?? [])].join(' '),
    isHidden: false,
    isEdit: EDITOR.test(tool),
  };
}

function editedFile(tokens: readonly string[]): string | undefined {
  const path = tokens.find((_, at) => /(?:path|file)\w{0,10}=$/i.test(tokens[at - 1] ?? ''));
  return path?.slice(path.lastIndexOf('/') + 1);
}

/** The command that the error speaks of: `cd:1: no such file`, `bash: line 1: unzip: …`; otherwise the main one. */
function blamedProgram(
  tokens: readonly string[],
  starts: readonly number[],
  speakers: ReadonlySet<string>,
  main: string,
): string {
  const blamed = starts
    .map((start) => tokens[start] ?? '')
    .find((word) => speakers.has(word) && /^[\w./-]+$/.test(word));
  return blamed === undefined ? main : programOf(blamed);
}
