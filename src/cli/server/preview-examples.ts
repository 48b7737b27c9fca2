import type { ExecutionReport, ToolCall } from '../../capture/report/execution-report.schema.js';
import { formatCount, oneLine, print } from '../terminal/terminal.js';

export interface PreviewExample {
  readonly format: string;
  readonly agent: string;
  /** As it would be sent. */
  readonly report: ExecutionReport;
}

const EXAMPLES = 3;
const CALLS_SHOWN = 6;
const LONGEST_LINE = 160;

/** Keeps a few reports of each format, and chooses the examples from them. */
export class ExampleReports {
  /** By format: reports with a failed call, and without. */
  private readonly kept = new Map<string, { failed: PreviewExample[]; other: PreviewExample[] }>();

  add(example: PreviewExample): void {
    const ofFormat = this.kept.get(example.format) ?? { failed: [], other: [] };
    this.kept.set(example.format, ofFormat);
    const list = example.report.toolCalls.some(({ ok }) => !ok) ? ofFormat.failed : ofFormat.other;
    if (list.length < EXAMPLES) list.push(example);
  }

  /** Three reports: with a failed call before those without, and of as many formats as possible. */
  chosen(): PreviewExample[] {
    const formats = [...this.kept.values()];
    const inTurn = (kind: 'failed' | 'other') =>
      Array.from({ length: EXAMPLES }, (_, n) => formats.flatMap((one) => one[kind][n] ?? [])).flat();
    const failed = inTurn('failed');
    const shown = new Set(failed.map(({ format }) => format));
    // Another format says more than the second report of a format.
    const isNew = ({ format }: PreviewExample) => !shown.has(format) && shown.add(format);
    const [first, repeated] = [failed.slice(0, shown.size), failed.slice(shown.size)];
    return [...first, ...inTurn('other').filter(isNew), ...repeated, ...inTurn('other')]
      .filter((example, at, all) => all.indexOf(example) === at)
      .slice(0, EXAMPLES);
  }
}

/** Prints the reports shortly: who, in what environment, which calls, how it ended. */
export function printExamples(examples: readonly PreviewExample[]): void {
  for (const [n, { format, agent, report }] of examples.entries()) {
    print(`\nExample ${n + 1}, as it would be sent (${format}):`);
    for (const [name, value] of fieldsOf(agent, report)) print(`  ${name.padEnd(12)} ${shortLine(value)}`);
    for (const call of report.toolCalls.slice(0, CALLS_SHOWN)) printCall(call);
    const more = report.toolCalls.length - CALLS_SHOWN;
    if (more > 0) print(`  … and ${formatCount(more, 'more call', 'more calls')}`);
  }
}

function fieldsOf(agent: string, report: ExecutionReport): [string, string][] {
  const { taskId, taskTitle, environment = {}, status, terminationReason, verification, errorMessage } = report;
  const { interpreters = [], ...rest } = environment;
  const versions = interpreters.map(({ name, version }) => `${name} ${version}`);
  const source = verification.source === undefined ? '' : ` by ${verification.source}`;
  return [
    ['agent', agent],
    ['task', `${taskTitle}, ${taskId}`],
    ['environment', [...Object.values(rest), ...versions].join(', ') || 'unknown'],
    ['outcome', `${status} (${terminationReason}), verified: ${verification.outcome}${source}`],
    ...(errorMessage === undefined ? [] : ([['error', errorMessage]] satisfies [string, string][])),
  ];
}

function printCall({ name, action, ok, errorCategory, errorLine, errorMessage }: ToolCall): void {
  print(`  ${ok ? 'ok    ' : 'failed'} ${shortLine(`${name}: ${action}`)}`);
  const error = errorLine ?? errorMessage?.replaceAll('\n', ' ');
  if (!ok) print(`         ${shortLine([errorCategory, error].filter(Boolean).join(': '))}`);
}

function shortLine(text: string): string {
  const line = oneLine(text);
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1)}…`;
}
