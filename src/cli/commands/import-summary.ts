import { formatOfExecution } from '../../capture/report/session-twin.js';
import type { QueuedReport, ReportOutcome } from '../server/outgoing-reports.js';
import type { ReadFile } from '../server/transcripts.js';
import type { FoundFiles } from '../sources/transcript-files.js';
import { formatCount, print, table } from '../terminal/terminal.js';

const ROWS_SHOWN = 20;

/** What was read and taken of one format. */
export interface FormatSummary {
  files: number;
  new: number;
  /** Executions that the server had already. */
  known: number;
  /** Lines that are no record and were left out. */
  badLines: number;
}

export interface ImportSummary {
  /** Files that may be transcripts. */
  files: number;
  agents: string[];
  /** Executions on the server after the import: new ones and duplicates. */
  imported: number;
  /** The same number as `imported`. */
  taken: number;
  new: number;
  duplicates: number;
  /** Of the duplicates: those that the server has from another record of the same session, by that record's format. */
  knownFrom: Record<string, number>;
  /** New uses of the server's skills. */
  skillUses: number;
  badLines: number;
  skipped: Record<string, number>;
  /** Files that were not read and reports that the server refused, by reason. */
  refused: Record<string, number>;
  /** Files that were not read, with the reason. */
  unreadFiles: { file: string; reason: string }[];
  formats: Record<string, FormatSummary>;
  /** Folders that were not entered, by name. */
  notEntered: Record<string, number>;
  /** Files that a folder scan left out, by reason. */
  leftOut: Record<string, number>;
  /** Whether a signal ended the import before its last file. */
  stopped: boolean;
}

/** Counts what an import takes and leaves out. */
export class ImportTotals {
  readonly summary: ImportSummary;
  /** Executions that the server has from the hooks of the same session. */
  readonly twins = new Set<string>();
  private readonly agents = new Set<string>();

  constructor({ unread, notEntered, leftOut }: Pick<FoundFiles, 'unread' | 'notEntered' | 'leftOut'>) {
    this.summary = {
      files: 0,
      agents: [],
      imported: 0,
      taken: 0,
      new: 0,
      duplicates: 0,
      knownFrom: {},
      skillUses: 0,
      badLines: 0,
      skipped: {},
      refused: {},
      unreadFiles: [],
      formats: {},
      notEntered,
      leftOut,
      stopped: false,
    };
    for (const { file, reason } of unread) this.addUnread(file, reason);
  }

  private addUnread(file: string, reason: string): void {
    this.summary.files += 1;
    this.summary.unreadFiles.push({ file, reason });
    increase(this.summary.skipped, reason);
    increase(this.summary.refused, reason);
  }

  addFile({ file, format, badLines, skipped, unreadReason, isStopped }: ReadFile): void {
    if (unreadReason !== undefined) {
      this.addUnread(file, unreadReason);
      return;
    }
    this.summary.files += 1;
    if (isStopped === true) this.summary.stopped = true;
    this.summary.badLines += badLines;
    for (const { reason, count } of skipped) increase(this.summary.skipped, reason, count);
    if (format === undefined) return;
    const ofFormat = this.format(format);
    ofFormat.files += 1;
    ofFormat.badLines += badLines;
  }

  addReport({ agent, report, format = formatOfExecution(report.executionId) }: QueuedReport, outcome: ReportOutcome) {
    if (typeof outcome !== 'string' && 'refused' in outcome) {
      increase(this.summary.skipped, outcome.refused);
      increase(this.summary.refused, outcome.refused);
      return;
    }
    if (!this.agents.has(agent)) this.summary.agents = [...this.agents.add(agent)].sort();
    this.summary.imported += 1;
    this.summary.taken += 1;
    this.summary[outcome === 'new' ? 'new' : 'duplicates'] += 1;
    this.format(format)[outcome === 'new' ? 'new' : 'known'] += 1;
    if (typeof outcome === 'string') return;
    increase(this.summary.knownFrom, outcome.twinOf);
    this.twins.add(report.executionId);
  }

  addUses(added: number, refused: ReadonlyMap<string, number>): void {
    this.summary.skillUses += added;
    for (const [reason, n] of refused) increase(this.summary.skipped, `skill use ${reason}`, n);
  }

  private format(name: string): FormatSummary {
    this.summary.formats[name] ??= { files: 0, new: 0, known: 0, badLines: 0 };
    return this.summary.formats[name];
  }
}

function increase(counts: Record<string, number>, reason: string, by = 1): void {
  counts[reason] = (counts[reason] ?? 0) + by;
}

interface ReadFiles extends Pick<ImportSummary, 'files' | 'unreadFiles'> {
  readonly formats: Readonly<Record<string, unknown>>;
}

/** Whether a person should look at what was not read: nothing was, or the file system refused something. */
export function needsAttention({ files, formats, unreadFiles }: ReadFiles): boolean {
  const isNothingRead = files > 0 && Object.keys(formats).length === 0;
  return isNothingRead || unreadFiles.some(({ reason }) => /^unreadable|^changed/.test(reason));
}

export function printSummary(summary: ImportSummary): void {
  print(
    `Imported ${formatCount(summary.imported, 'execution')} of ${formatCount(summary.agents.length, 'agent')} ` +
      `from ${formatCount(summary.files, 'file')}: ${summary.new} new, ${formatCount(summary.duplicates, 'duplicate')}.`,
  );
  if (summary.skillUses > 0) print(`Reported ${formatCount(summary.skillUses, 'skill use')}.`);
  for (const [format, count] of Object.entries(summary.knownFrom))
    print(`${formatCount(count, 'execution')} already known from ${format}.`);
  printFormats(summary.formats);
  const skipped = Object.entries(summary.skipped);
  if (summary.badLines > 0) skipped.push(['unreadable lines', summary.badLines]);
  if (skipped.length > 0)
    print(
      `\nSkipped:\n${table(
        ['reason', 'count'],
        skipped.sort(([, a], [, b]) => b - a),
      )}`,
    );
  printUnread(summary);
  print(
    '\nOnly redacted reports left this machine: no conversation, no prompt, no output of a successful call. The redacted error text of failed calls is included.',
  );
  print(
    summary.stopped
      ? 'Stopped. Run the same command again to continue.'
      : 'Next: a cycle reads them within minutes, and guildbook status says what it found. At once: guildbook evolve',
  );
}

/** Prints a row for each format. */
export function printFormats(formats: ImportSummary['formats']): void {
  const rows = Object.entries(formats).sort(([, a], [, b]) => b.files - a.files);
  if (rows.length === 0) return;
  const cells = rows.map(([name, { files, new: added, known, badLines }]) => [name, files, added, known, badLines]);
  print(`\n${table(['format', 'files', 'new', 'known', 'unreadable lines'], cells)}`);
}

/** Prints the files that were not read or left out, and the folders that were not entered. */
export function printUnread({
  unreadFiles,
  notEntered,
  leftOut,
}: Pick<ImportSummary, 'unreadFiles' | 'notEntered' | 'leftOut'>): void {
  if (unreadFiles.length > 0)
    print(
      `\nUnread files:\n${table(
        ['file', 'reason'],
        unreadFiles.slice(0, ROWS_SHOWN).map(({ file, reason }) => [file, reason]),
      )}`,
    );
  if (unreadFiles.length > ROWS_SHOWN) print(`and ${unreadFiles.length - ROWS_SHOWN} more (--json lists all)`);
  const folders = Object.entries(notEntered).map(([name, n]) => formatCount(n, `folder ${name}`, `folders ${name}`));
  const files = Object.entries(leftOut).map(([reason, n]) => `${formatCount(n, 'file')} (${reason})`);
  if (files.length > 0) print(`\nLeft out: ${files.join(', ')}.`);
  if (folders.length > 0) print(`\nNot entered: ${folders.join(', ')}.`);
}
