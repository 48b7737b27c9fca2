/** Names of tools that run command lines, in lower case. */
export const SHELL_TOOL_NAMES: ReadonlySet<string> = new Set(
  `bash shell sh zsh terminal execute_bash run_shell_command local_shell exec_command run_terminal_cmd run_command
   run_in_terminal powershell`.split(/\s+/),
);

/** True if the tool of an agent runs command lines. */
export function isShellTool(tool: string): boolean {
  return SHELL_TOOL_NAMES.has(tool.toLowerCase());
}
