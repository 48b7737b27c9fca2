import { sumBy } from '../../platform/base/sum.js';
import { formatCount, print, printRows } from '../terminal/terminal.js';
import { type ReaderOptions, TranscriptReader } from './transcripts.js';

export interface ImportPreview {
  files: number;
  executions: { file: string; agent: string; executionId: string; startedAt: string; calls: number; failed: number }[];
  badLines: number;
  skipped: Record<string, number>;
  unreadFiles: { file: string; reason: string }[];
}

/** Derives the reports of an import without sending any. */
export async function previewImport(files: readonly string[], options: ReaderOptions): Promise<ImportPreview> {
  const reader = new TranscriptReader(options);
  const preview: ImportPreview = { files: files.length, executions: [], badLines: 0, skipped: {}, unreadFiles: [] };
  for (const file of files) {
    const { reports, badLines, unreadReason, skipped } = await reader.read(file);
    preview.badLines += badLines;
    if (unreadReason !== undefined) preview.unreadFiles.push({ file, reason: unreadReason });
    for (const { reason, count } of skipped) preview.skipped[reason] = (preview.skipped[reason] ?? 0) + count;
    for (const { agent, report } of reports) {
      const { executionId, startedAt, toolCalls } = report;
      const failed = toolCalls.filter(({ ok }) => ok === false).length;
      preview.executions.push({ file, agent, executionId, startedAt, calls: toolCalls.length, failed });
    }
  }
  return preview;
}

/** Prints the first `rows` of each list. */
export function printPreview({ files, executions, badLines, skipped, unreadFiles }: ImportPreview, rows: number): void {
  const agents = new Set(executions.map(({ agent }) => agent)).size;
  print(
    `${formatCount(executions.length, 'execution')} of ${formatCount(agents, 'agent')} from ${formatCount(files, 'file')} would be reported; nothing was sent.`,
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
}
