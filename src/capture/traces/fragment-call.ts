import { present } from '../../platform/base/optional.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { callArguments } from '../actions/call-arguments.js';
import { wasRefused } from '../errors/refused-call.js';
import { errorFields, errorLineIn, normalisedAction } from '../importers/foreign-call.js';
import type { CallArgument, ToolCall } from '../report/execution-report.schema.js';
import { storedCall } from '../report/stored-call.js';

/** The action and the arguments of a tool call, as a fragment may hold them. */
export function calledFields(name: string, input: unknown): { action: string; arguments?: CallArgument[] } {
  const args = callArguments(name, input);
  return { action: normalisedAction(name, input), ...(args.length === 0 ? {} : { arguments: args }) };
}

/** What a fragment may hold of the text of a failed call, without data that the command printed. */
export function failedFields(name: string, input: unknown, text: string): Partial<ToolCall> {
  const { errorCategory, errorMessage } = errorFields(name, text);
  const call = {
    name,
    action: normalisedAction(name, input),
    ok: false,
    ...present({ errorMessage, errorLine: errorLineIn(name, text) }),
  };
  const { name: _name, action: _action, ok: _ok, ...kept } = storedCall(call);
  return { ...kept, ...present({ errorCategory, ran: hasRun(name, text) }) };
}

/** Undefined if the text does not say. */
function hasRun(name: string, text: string): boolean | undefined {
  if (wasRefused(redact(text.slice(0, 1_000)).text)) return false;
  return isShellTool(name) && /^(?:Error: )?Exit code \d/.test(text) ? true : undefined;
}
