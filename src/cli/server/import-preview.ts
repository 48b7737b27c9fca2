import { sumBy } from '../../platform/base/sum.js';
import type { FoundFiles } from '../sources/transcript-files.js';
import { ByteProgress } from '../terminal/byte-progress.js';
import { formatCount, type OutputOptions, print, printRows } from '../terminal/terminal.js';
import { ExampleReports, type PreviewExample, printExamples } from './preview-examples.js';
import { type ReadExecution, type ReaderOptions, type ReadFile, TranscriptReader } from './transcripts.js';

export interface ImportPreview {
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
