import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { readUnmarked, type UnmarkedResult } from '../importers/unmarked-failure.js';

/** How the file viewers and editors of SWE-agent and OpenHands begin the answer to a call that did nothing. */
const TOOL_FAILURE =
  /^\s{0,20}(?:Your (?:proposed )?edit (?:has introduced|was not applied)|No replacement was performed|Invalid `|The path .{1,500}? (?:does not exist|is a directory)|(?:File|Path|Directory) .{1,500}? not found|No file open|usage: |error\b:)/i;
/** Where an editor begins to show the text that it did not write. */
const SHOWN_EDIT = /^(?:This is how your edit would have looked|This is the original code before your edit)/m;
/** The searched text of an edit, between quotes or backticks. */
const QUOTED = [
  [/\bText ['"]/, ' not found'],
  [/\bold_str `/, '` '],
] as const;

/** Whether a call without a mark failed. Of a failed edit, the text that it should write or replace is left out. */
export function readToolAnswer(tool: string, answer: string): UnmarkedResult {
  if (isShellTool(tool) || !TOOL_FAILURE.test(answer.slice(0, 1_000))) return readUnmarked(tool, answer);
  const shown = SHOWN_EDIT.exec(answer)?.index;
  return { failed: true, text: withoutSearchedText(answer.slice(0, shown)).trim() };
}

function withoutSearchedText(text: string): string {
  for (const [open, close] of QUOTED) {
    const found = open.exec(text);
    const from = found === null ? -1 : found.index + found[0].length;
    const to = from < 0 ? -1 : text.lastIndexOf(close);
    if (to > from) return `${text.slice(0, from)}…${text.slice(to)}`;
  }
  return text;
}
