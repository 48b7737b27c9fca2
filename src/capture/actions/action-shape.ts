import type { SqlStatement } from './sql-statement.js';

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
}

/** What a tool call does, without names and values: the unit in which failures and remedies are compared. */
export interface ActionShape extends StepShape {
  /** `shell` for Bash-like tools, otherwise the tool's name in lower case. */
  readonly tool: string;
  /** `| head`, `|| true` and `; echo` hide the exit status, so a success proves little. */
  readonly masksExit: boolean;
  /** True if the line throws a failure away: `|| true`, `; exit 0`, `|| echo`. */
  readonly discardsExit: boolean;
  /** Set-up steps before the program, in order: `cd [word]`, `PYTHONPATH=`, `sudo`, `source [file:.sh]`. */
  readonly before: readonly string[];
  /** The SQL statement of a call of a tool other than a shell. */
  readonly sql?: SqlStatement;
  /** The other steps before it on the same line. */
  readonly earlier: readonly StepShape[];
}
