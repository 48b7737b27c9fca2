import { isShellTool } from '../../untrusted/shell/shell-tool.js';

/** Whether a call failed, judged by its output. `text`: the output without the agent's header. */
export interface UnmarkedResult {
  readonly failed: boolean;
  readonly text: string;
}

const LINES = 4;
const LINE = 500;
const EXIT_CODE =
  /^(?:Process exited with code|Exit code:?|exit status|Command failed with exit code|Error: Command failed with exit code) (-?\d{1,5})\b/i;
const RETURN_CODE = /^<returncode>(-?\d{1,5})(?:<\/returncode>)?/i;
/** Last lines of failed programs, shells and tools. Each pattern is anchored, because the words alone prove nothing. */
const FAILURE_LINES: readonly RegExp[] = [
  /^(?:fatal|error|panic|failed|failure)(?:\[[\w-]{1,20}\])?: /i,
  /^(?:Uncaught )?(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception)(?:: |$)/,
  /^(?:npm|pnpm|yarn) (?:ERR!|error) /,
  /^[\w./+-]{1,100}: (?:line \d{1,6}: )?.{1,300}: (?:command not found|No such file or directory|Permission denied|not found)$/,
  /^(?:File|Path|Directory) does not exist/,
  /^make: \*\*\* /,
  // what Codex answers in place of a tool
  /^unsupported (?:custom tool )?call: /,
  /^(?:apply_patch verification|exec_command) failed\b.{0,60}: |^unable to locate image at /,
  /^=+ .{0,80}\b[1-9]\d{0,6} failed\b/,
];

/**
 * Decides whether a call failed whose record does not say so. An exit code decides. Without one, the last line decides,
 * and for tools other than a shell the first line too: it must itself be an error message. Unclear results count as
 * successful, because an invented failure would produce a wrong lesson.
 */
export function readUnmarked(tool: string, output: string): UnmarkedResult {
  const code = exitCodeIn(output);
  const text = afterHeader(output);
  if (code !== undefined)
    return code === 0 ? { failed: false, text } : { failed: true, text: withExitCode(code, text) };
  const tail = lastLine(text);
  const head = isShellTool(tool) ? undefined : text.trimStart().slice(0, LINE).split('\n')[0];
  const telling = [tail, head].filter((line) => line !== undefined);
  return { failed: telling.some((line) => FAILURE_LINES.some((pattern) => pattern.test(line))), text };
}

/**
 * The text of a command that failed, which begins with the exit code, as that of Claude Code does, so that one failure
 * reads alike from every product.
 */
export const withExitCode = (code: number, text: string): string =>
  /^(?:Error: )?Exit code \d/.test(text) ? text : `Exit code ${code}\n${text}`;

/**
 * The exit code in the first lines, where the agent prints it, or in the last line. Elsewhere the same words belong to
 * the output.
 */
function exitCodeIn(output: string): number | undefined {
  const head = output.slice(0, LINES * LINE).split('\n', LINES);
  for (const line of [...head, lastLine(output) ?? '']) {
    const found = EXIT_CODE.exec(line.trim()) ?? RETURN_CODE.exec(line.trim());
    if (found?.[1] !== undefined) return Number(found[1]);
  }
  return undefined;
}

/** The output without the header in which Codex describes the process. */
function afterHeader(output: string): string {
  const header = output.slice(0, 400);
  const at = header.indexOf('\nOutput:\n');
  return at >= 0 && /^(?:Chunk ID|Exit code|Wall time):/.test(header)
    ? output.slice(at + '\nOutput:\n'.length)
    : output;
}

function lastLine(text: string): string | undefined {
  return text
    .slice(-LINES * LINE)
    .trimEnd()
    .split('\n')
    .at(-1)
    ?.trim()
    .slice(0, LINE);
}
