import { LONGEST_SHOWN_CALL, type ShownCall } from '../../evidence/calls/shown-call.schema.js';
import type { ToolCall } from '../report/execution-report.schema.js';
import { isShellTool } from './action.js';

/** What stands for a value that a report does not hold. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '[path]': '<folder>',
  '[dir]': '<folder>',
  '[url]': '<url>',
  '[value]': '<value>',
  '[code]': '<code>',
  '[text]': '<text>',
  '[n]': '<number>',
  '[host]': '<host>',
  '[list]': '<list>',
};

/** Returns the call as a lesson may show it; undefined if the report does not hold it, or if it is too long to show. */
export function shownCall({ name, action, arguments: args }: ToolCall): ShownCall | undefined {
  const call = isShellTool(name) ? action : args ? JSON.stringify(Object.fromEntries(args.map(shownArgument))) : action;
  const shown = call.replace(/\[[a-z]{1,8}\]/g, (found) => PLACEHOLDERS[found] ?? found).trim();
  if (shown === '' || shown.length > LONGEST_SHOWN_CALL) return undefined;
  return { tool: isShellTool(name) ? 'shell' : name.slice(0, 80), call: shown };
}

function shownArgument({ key, type, value }: NonNullable<ToolCall['arguments']>[number]): [string, string] {
  return [key, value ?? `<${type}>`];
}
