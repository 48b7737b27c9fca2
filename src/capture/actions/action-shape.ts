/** What a tool call does, without its particulars: the unit in which failures and remedies are compared (spec E1.2). */
export interface ActionShape {
  /** `shell` for Bash-like tools, else the tool's own name in lower case. */
  readonly tool: string;
  /** The program that matters, as written (`python` and `python3` differ); for other tools the tool. */
  readonly program: string;
  /** `commit` of git, `-m pytest` of python, `run python` of uv. */
  readonly subcommand?: string;
  /** Sorted flag names without their values. */
  readonly flags: readonly string[];
  /** Operand shapes: `[file:.py]`, `[dir]`, `[code]`, `[text]`, `[url]`, `[n]`, `[hash]`, `[word]` … */
  readonly operands: readonly string[];
  /** Grouping key, coarse granularity: `python`, `git push`, `read`. */
  readonly coarse: string;
  /** Grouping key, fine granularity: `python [file:.py]`, `pip install -e [dir]`. */
  readonly fine: string;
  /** What the call is FOR, so that `python3 x.py` can replace `python x.py`: `run:python`, `file:read`, `vcs:git push`. */
  readonly purpose: string;
  /** Names that tell whether two calls are about the same thing: basenames, package names; lower case. */
  readonly subjects: readonly string[];
  /** The folders and files it names, literally, the changes of folder before it first. Compared with another call's, never stored. */
  readonly path: string;
  /** `| head`, `|| true`, `; echo` hide the exit status: such an ok proves little. */
  readonly masksExit: boolean;
  /** Steps before the program, in order: `cd [word]`, `PYTHONPATH=`, `sudo`, `source [file:.sh]`. */
  readonly before: readonly string[];
}
