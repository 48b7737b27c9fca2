import { parseJson } from '../../platform/base/parse-json.js';
import { parseCommandLine } from '../../untrusted/shell/command-line.js';
import { commandArgument } from '../../untrusted/shell/given-command.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';

/**
 * Where a text of a failure comes from. `command`: the output of a command line, which may be data. `tool`: the answer
 * of another tool. `end`: the message of an execution that failed.
 */
export interface TextSource {
  readonly kind: 'command' | 'tool' | 'end';
  /**
   * The words of the command line, if each of its programs only prints what it reads: all but the messages of these
   * programs is data.
   */
  readonly printers?: ReadonlySet<string>;
}

export const COMMAND_OUTPUT: TextSource = { kind: 'command' };
export const TOOL_ANSWER: TextSource = { kind: 'tool' };
export const EXECUTION_END: TextSource = { kind: 'end' };

/** Programs that print what they read, and programs that print nothing. */
const PRINTERS: ReadonlySet<string> = new Set(
  `cat head tail less more bat tac nl cut sort uniq awk gawk mawk sed grep egrep fgrep zgrep rg ag zcat column paste tr wc
   diff cmp comm strings xxd od hexdump fold fmt echo printf ls tree find stat file tee jq yq base64 rev shuf split
   true false test [ [[ : exit cd pwd pushd popd export set unset sleep read cp mv basename dirname type which done do
   for while if then else fi`.split(/\s+/),
);
/** A command line of this length may have lost its end. */
const CUT_COMMAND = 1_000;

export const isPrinter = (program: string): boolean => PRINTERS.has(program);

/**
 * The source of the text of a failed call; without a tool, of the end of the execution. `action`: the command line or the
 * shape of the arguments, if it is known.
 */
export function sourceOfCall(tool: string, action?: string): TextSource {
  if (tool === '') return EXECUTION_END;
  const command = action?.startsWith('{') ? commandArgument(parseJson(action)) : undefined;
  // `{"command":"view"}` of an editor is no command line
  if (!isShellTool(tool) && !/\s/.test(command ?? '')) return TOOL_ANSWER;
  const line = command ?? (isShellTool(tool) ? action : undefined);
  const printers = line === undefined ? undefined : printersIn(line.slice(0, CUT_COMMAND));
  return printers === undefined ? COMMAND_OUTPUT : { kind: 'command', printers };
}

/** The words of a command line if each of its programs only prints; otherwise undefined. */
function printersIn(command: string): ReadonlySet<string> | undefined {
  const commands = parseCommandLine(command);
  if (command.length >= CUT_COMMAND || commands.length === 0) return undefined;
  for (const { words, heredoc } of commands) {
    const word = words.find(({ text }) => !/^\w{1,100}=/.test(text))?.text ?? '';
    if (heredoc || !PRINTERS.has(word.replace(/^\/(?:usr\/)?bin\//, ''))) return undefined;
  }
  return new Set(command.match(/[\w.+-]{1,60}/g));
}
