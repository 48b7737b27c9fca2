import type { ExecutionReport, ToolCall } from '../../capture/report/execution-report.schema.js';
import { sumBy } from '../../platform/base/sum.js';
import type { FoundFiles } from '../sources/transcript-files.js';
import { ByteProgress } from '../terminal/byte-progress.js';
import { formatCount, type OutputOptions, oneLine, print, printRows } from '../terminal/terminal.js';
import { type ReadExecution, type ReaderOptions, type ReadFile, TranscriptReader } from './transcripts.js';

interface ImportPreview {
  files: number;
  executions: { file: string; agent: string; executionId: string; startedAt: string; calls: number; failed: number }[];
  /** Whole redacted reports, of different formats if there are any, those with a failed call first. */
  examples: PreviewExample[];
  badLines: number;
  skipped: Record<string, number>;
  unreadFiles: { file: string; reason: string }[];
  formats: Record<string, { files: number; executions: number; badLines: number }>;
  /** Folders that were not entered, by name. */
  notEntered: Record<string, number>;
  /** Files that a folder scan left out, by reason. */
  leftOut: Record<string, number>;
}

/** Derives the reports of an import without sending any. */
export async function previewImport(
  files: FoundFiles,
  options: ReaderOptions,
  output: OutputOptions = {},
): Promise<ImportPreview> {
  const progress = new ByteProgress(
    'dry run',
    sumBy(files.sources, ({ bytes }) => bytes),
    output,
  );
  const reader = new TranscriptReader(options, (bytes) => progress.read(bytes), files.sources);
  const examples = new ExampleReports();
  const preview: ImportPreview = {
    files: 0,
    executions: [],
    examples: [],
    badLines: 0,
    skipped: {},
    unreadFiles: [],
    formats: {},
    notEntered: { ...files.notEntered },
    leftOut: { ...files.leftOut },
  };
  for (const { file, reason } of files.unread) addUnread(preview, file, reason);
  let before = 0;
  for (const [index, source] of files.sources.entries()) {
    progress.startFile(before, `file ${index + 1} of ${files.sources.length}`);
    const read = await reader.readEach(source, async (one) => {
      addExecution(preview, source.path, one);
      examples.add({ format: one.format, agent: one.agent, report: one.report });
      return true;
    });
    before += source.bytes;
    addFile(preview, read);
  }
  progress.done(formatCount(preview.files, 'file'));
  return { ...preview, examples: examples.chosen() };
}

function addUnread(preview: ImportPreview, file: string, reason: string): void {
  preview.files += 1;
  preview.unreadFiles.push({ file, reason });
  preview.skipped[reason] = (preview.skipped[reason] ?? 0) + 1;
}

function addExecution(preview: ImportPreview, file: string, { format, agent, report }: ReadExecution): void {
  const { executionId, startedAt, toolCalls } = report;
  const failed = toolCalls.filter(({ ok }) => ok === false).length;
  preview.executions.push({ file, agent, executionId, startedAt, calls: toolCalls.length, failed });
  formatIn(preview, format).executions += 1;
}

function addFile(preview: ImportPreview, { file, format, badLines, unreadReason, ...rest }: ReadFile): void {
  if (unreadReason !== undefined) {
    addUnread(preview, file, unreadReason);
    return;
  }
  preview.files += 1;
  preview.badLines += badLines;
  for (const { reason, count } of rest.skipped) preview.skipped[reason] = (preview.skipped[reason] ?? 0) + count;
  if (format === undefined) return;
  const ofFormat = formatIn(preview, format);
  ofFormat.files += 1;
  ofFormat.badLines += badLines;
}

function formatIn({ formats }: ImportPreview, name: string) {
  formats[name] ??= { files: 0, executions: 0, badLines: 0 };
  return formats[name];
}

/** Prints the first `rows` of each list. */
export function printPreview(preview: ImportPreview, rows: number): void {
  const { files, executions, badLines, skipped, unreadFiles, formats, notEntered, leftOut } = preview;
  const agents = new Set(executions.map(({ agent }) => agent)).size;
  print(
    `${formatCount(executions.length, 'execution')} of ${formatCount(agents, 'agent')} from ${formatCount(files, 'file')} would be reported; nothing was sent.`,
  );
  printRows(
    'Formats:',
    ['format', 'files', 'executions', 'unreadable lines'],
    Object.entries(formats).map(([name, one]) => [name, one.files, one.executions, one.badLines]),
    rows,
  );
  printRows(
    'Executions:',
    ['agent', 'execution', 'started', 'calls', 'failed'],
    executions.map((one) => [one.agent, one.executionId, one.startedAt, one.calls, one.failed]),
    rows,
  );
  const reasons = Object.entries(skipped).sort(([, a], [, b]) => b - a);
  if (badLines > 0) reasons.push(['unreadable lines', badLines]);
  printRows(`Skipped, ${sumBy(reasons, ([, count]) => count)} in all:`, ['reason', 'count'], reasons, rows);
  printRows(
    'Unread files:',
    ['file', 'reason'],
    unreadFiles.map(({ file, reason }) => [file, reason]),
    rows,
  );
  printRows('Files that were left out:', ['reason', 'count'], Object.entries(leftOut), rows);
  printRows('Folders that were not entered:', ['name', 'count'], Object.entries(notEntered), rows);
  printExamples(preview.examples);
}

interface PreviewExample {
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
