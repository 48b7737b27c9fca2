import { type UnmarkedResult, withExitCode } from '../importers/unmarked-failure.js';

/** The trailer of a shell call is at most a few lines long. */
const TAIL = 600;
/** The lines that Gemini CLI writes after the output of a command. An `Error:` of older versions is only known if empty. */
const GEMINI_TRAILER =
  /(?:\n(?:Error: \(none\)|(?:Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]{0,100})){1,6}\s{0,20}$/;
const GEMINI_EXIT = /\nExit Code: (-?\d{1,5})(?:\s|$)/;
const GEMINI_SIGNAL = /\nSignal: (?!\(none\))\S/;
const COPILOT_EXIT =
  /<(?:shellId: [\w-]{1,60} )?(?:completed|exited|command (?:completed|exited)) with exit code (-?\d{1,5})>\s{0,20}$/;

/**
 * The result of a shell call of Gemini CLI, whose text names the exit code of a command that failed. A failed text begins
 * with the exit code.
 */
export function readGeminiShell(content: string): UnmarkedResult {
  const text = withoutAddedContext(content)
    // names the file that holds the whole output
    .replace(/^Output too large\. [^\n]{1,2000}\n/, '')
    .replace(/^\s{0,20}<untrusted_context>\n?/, '')
    .replace(/\n?\s{0,20}<\/untrusted_context>\s{0,20}$/, '');
  const tail = text.slice(-TAIL);
  const trailer = GEMINI_TRAILER.exec(tail)?.[0] ?? '';
  const output = outputOf(text.slice(0, text.length - trailer.length));
  const code = GEMINI_EXIT.exec(trailer)?.[1];
  if (code !== undefined && Number(code) !== 0) return failedWith(code, output);
  return { failed: GEMINI_SIGNAL.test(trailer), text: output };
}

/** The text without what a hook added at its end. */
function withoutAddedContext(content: string): string {
  const text = content.trimEnd();
  const at = text.endsWith('</hook_context>') ? text.lastIndexOf('<hook_context>') : -1;
  return at < 0 ? content : text.slice(0, at).trimEnd();
}

/** Older versions repeat the command and the folder before the output. */
function outputOf(text: string): string {
  const header = text.slice(0, 20_000);
  const at = /^(?:Command: |Directory: )/.test(header) ? header.indexOf('\nOutput: ') + 1 : 0;
  return text.slice(at).replace(/^Output: ?/, '');
}

/**
 * The result of a shell call of Copilot CLI, whose text ends with the exit code. `code`: the exit code, if the record has
 * it; then text of a hook may follow.
 */
export function readCopilotShell(content: string, code?: number): UnmarkedResult {
  if (code === undefined) {
    const found = COPILOT_EXIT.exec(content.slice(-TAIL));
    if (found === null) return { failed: false, text: content };
    const [mark, said = '0'] = found;
    return readExitCode(Number(said), content.slice(0, content.length - mark.length).trimEnd());
  }
  const at = content.lastIndexOf('<shellId: ');
  return readExitCode(code, at < 0 ? content : content.slice(0, at).trimEnd());
}

/** The result of a call whose record holds the exit code. */
export function readExitCode(code: number, output: string): UnmarkedResult {
  return code === 0 ? { failed: false, text: output } : failedWith(String(code), output);
}

const failedWith = (code: string, output: string): UnmarkedResult => ({
  failed: true,
  text: withExitCode(Number(code), output),
});
