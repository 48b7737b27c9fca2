import type { LessonExample } from '../../evidence/calls/lesson-parts.schema.js';
import { callText, type ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { parseJson } from '../../platform/base/parse-json.js';

/** The lines that say in an example what follows. */
const MARKS = { failed: '# Failed', error: '# with', between: '# Then', worked: '# Worked' } as const;

/** Writes an example as the lines of a code block, each call below a line that says how it ended. */
export function exampleLines({ failed, error, between, worked }: LessonExample): string[] {
  return [
    MARKS.failed,
    ...callText(failed).split('\n'),
    MARKS.error,
    ...error.split('\n'),
    ...between.flatMap((call) => [MARKS.between, ...callText(call).split('\n')]),
    ...(worked ? [MARKS.worked, ...callText(worked).split('\n')] : []),
  ];
}

/** Reads the lines of `exampleLines` back; undefined if they are no example. `known`: the tools that it may name. */
export function readExample(lines: readonly string[], known: readonly ShownCall[] = []): LessonExample | undefined {
  const parts: { mark: string; lines: string[] }[] = [];
  const marks: readonly string[] = Object.values(MARKS);
  for (const line of lines)
    if (marks.includes(line.trim())) parts.push({ mark: line.trim(), lines: [] });
    else if (parts.length > 0) parts.at(-1)?.lines.push(line);
    else if (line.trim() !== '') return undefined;
  const textsOf = (wanted: string) =>
    parts.filter(({ mark }) => mark === wanted).map((part) => part.lines.join('\n').trim());
  const [failed, error, worked] = [textsOf(MARKS.failed), textsOf(MARKS.error), textsOf(MARKS.worked)];
  const between = textsOf(MARKS.between);
  if (failed.length !== 1 || error.length !== 1 || worked.length > 1) return undefined;
  if ([...failed, ...error, ...between, ...worked].includes('')) return undefined;
  const call = (text: string) => readCall(text, known);
  return {
    failed: call(failed[0] ?? ''),
    error: error[0] ?? '',
    between: between.map(call),
    worked: worked[0] === undefined ? null : call(worked[0]),
  };
}

/** Reads `callText` back. A name before a JSON object is a tool, unless a known command line has this text. */
export function readCall(text: string, known: readonly ShownCall[] = []): ShownCall {
  const same = known.find((one) => callText(one) === text);
  if (same) return same;
  const [, tool, call] = /^(\S{1,80}) (\{.*\})$/s.exec(text) ?? [];
  return tool !== undefined && call !== undefined && parseJson(call) !== undefined
    ? { tool, call }
    : { tool: 'shell', call: text };
}
