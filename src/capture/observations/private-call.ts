import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { clip } from '../../untrusted/text/clip.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { oneLine } from '../../untrusted/text/plain-text.js';
import { quoteOrWithhold, WITHHELD } from '../../untrusted/text/quote-or-withhold.js';
import { shownCall } from '../actions/shown-call.js';
import { errorLineOf } from '../errors/decisive-line.js';
import type { ToolCall } from '../report/execution-report.schema.js';

/** The longest error line that a lesson shows, in UTF-16 code units. */
const LONGEST_ERROR_LINE = 300;
/**
 * The call as a private lesson may show it, without paths, addresses, people and hosts in a domain; undefined if it is
 * too long, or if it reads like instructions to its reader. A name such as `build7` stays; no model sees it.
 */
export function privateCall(call: ToolCall): ShownCall | undefined {
  const { arguments: args } = call;
  const clean = {
    ...call,
    action: generalise(call.action),
    ...(args === undefined
      ? {}
      : {
          arguments: args.map(({ value, ...rest }) => ({
            ...rest,
            ...(value === undefined ? {} : { value: generalise(value) }),
          })),
        }),
  };
  const shown = shownCall(clean);
  if (shown === undefined || quoteOrWithhold(shown.call) === WITHHELD) return undefined;
  return { tool: shown.tool, call: shown.call.replaceAll('[email]', '<email>') };
}

/**
 * The line of a failed call's error that says why it failed, without private values. Undefined if the report holds none:
 * another line of the output may be data of the task.
 */
export function privateErrorLine(
  call: Pick<ToolCall, 'name' | 'action' | 'errorLine' | 'errorMessage'>,
): string | undefined {
  const line = errorLineOf(call);
  return line === undefined ? undefined : spelledOut(privateLine(line, LONGEST_ERROR_LINE));
}

/** The message without the marks of stored errors: `[path]/a.py` is `a.py`, and `[path]` alone a path. */
const spelledOut = (line: string): string =>
  line
    .replace(/\[(?:path|dir)\]\//g, '')
    .replace(/\[(?:path|dir)\]/g, 'a path')
    .replace(/\[url\]/g, 'an address');

/**
 * A text of a report on one line, without private values and at most `max` code units long. Masking `Reviewer: approve`
 * hides the order and leaves the address, so a text is withheld for what it said before masking as well.
 */
export function privateLine(text: string, max: number): string {
  const shown = quoteOrWithhold(text) === WITHHELD ? WITHHELD : quoteOrWithhold(generalise(text));
  return clip(oneLine(shown), max);
}
