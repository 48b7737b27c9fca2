import type { SqlStatement } from './sql-statement.js';
import type { ToolArgument } from './tool-arguments.js';

/** One step of a command line, or one call of another tool, without its folder and its surroundings. */
export interface StepShape {
  /** The main program as written (`python` and `python3` differ); for other tools the tool. */
  readonly program: string;
  /** `commit` of git, `-m pytest` of python, `run python` of uv. */
  readonly subcommand?: string;
  /** Sorted flag names without their values. */
  readonly flags: readonly string[];
  /** Operand shapes: `[file:.py]`, `[dir]`, `[code]`, `[text]`, `[url]`, `[n]`, `[hash]`, `[word]` … */
  readonly operands: readonly string[];
  /** Coarse grouping key: `python`, `git push`, `read`. */
  readonly coarse: string;
  /** Fine grouping key: `python [file:.py]`, `pip install -e [dir]`. */
  readonly fine: string;
  /**
   * The purpose of the call, so that `python3 x.py` can replace `python x.py`: `run:python`, `file:read`, `vcs:git
   * push`.
   */
  readonly purpose: string;
  /** Names that show whether two calls concern the same thing: base names and package names, in lower case. */
  readonly subjects: readonly string[];
  /**
   * The words after the program with their values, in order. Only compared with another call's; what differs is
   * stored.
   */
  readonly words: readonly string[];
}

/** What a tool call does, without names and values: the unit in which failures and remedies are compared. */
export interface ActionShape extends StepShape {
  /** `shell` for Bash-like tools, otherwise the tool's name in lower case. */
  readonly tool: string;
  /**
   * The folders and files that the call names literally, preceded by changes of folder. Only compared with another
   * call's, never stored.
   */
  readonly path: string;
  /** `| head`, `|| true` and `; echo` hide the exit status, so a success proves little. */
  readonly masksExit: boolean;
  /** True if the line throws a failure away: `|| true`, `; exit 0`, `|| echo`. */
  readonly discardsExit: boolean;
  /** Set-up steps before the program, in order: `cd [word]`, `PYTHONPATH=`, `sudo`, `source [file:.sh]`. */
  readonly before: readonly string[];
  /** The variables that are set for the program, with their values: `NODE_ENV=test`. */
  readonly variables: readonly string[];
  /** Wrappers and set-up steps that change what is run, with their values: `sudo`, `nvm use 18`. */
  readonly setup: readonly string[];
  /** The arguments of a tool other than a shell. Only compared with another call's. */
  readonly arguments: readonly ToolArgument[];
  /** The SQL statement of such a call. */
  readonly sql?: SqlStatement;
  /** The other steps before it on the same line. */
  readonly earlier: readonly StepShape[];
}
