/** What a tool call does, without names and values: how failures are named and counted. */
export interface ActionShape {
  /** `shell` for Bash-like tools, otherwise the tool's name in lower case. */
  readonly tool: string;
  /** The main program as written (`python` and `python3` differ); for other tools the tool. */
  readonly program: string;
  /** `commit` of git, `-m pytest` of python, `run python` of uv. */
  readonly subcommand?: string;
  /** What failures are grouped by: `python`, `git push`, `read`. */
  readonly coarse: string;
  /**
   * The purpose of the call, so that `python3 x.py` can replace `python x.py`: `run:python`, `file:read`, `vcs:git
   * push`.
   */
  readonly purpose: string;
  /** The endings of the files that it names, with the dot. */
  readonly fileKinds: readonly string[];
  /** `| head`, `|| true` and `; echo` hide the exit status, so a success proves little. */
  readonly masksExit: boolean;
  /** True for a statement of SQL that a tool other than a shell runs. */
  readonly isStatement?: boolean;
  /** The other steps before it on the same line, as far as they matter, by their coarse names. */
  readonly earlier: readonly string[];
}

/** All names of what a call does, the coarse one first: `python3`, `python3 [file:.py]`, and its earlier steps. */
export const namesOfAction = ({ coarse, fileKinds, earlier }: ActionShape): string[] => [
  coarse,
  ...fileKinds.map((kind) => `${coarse} [file:${kind}]`),
  ...earlier,
];

/** The ending of the file that a word names, with the dot. */
export function fileKindOf(word: string): string | undefined {
  if (word.includes('=') || word.includes('://') || /^\d[\d.]*$/.test(word)) return undefined;
  return /\.[A-Za-z][A-Za-z0-9]{0,7}(?=$|::)/.exec(word)?.[0].toLowerCase();
}
