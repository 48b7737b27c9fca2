import { type Command, Option } from 'commander';
import { FORMATS } from '../../capture/formats/foreign-formats.js';
import { HOOK_PRODUCTS } from '../../capture/hook-events/products.js';
import type { Guildbook } from '../../client/guildbook.js';
import { previewImport, printPreview } from '../server/import-preview.js';
import { OutgoingReports } from '../server/outgoing-reports.js';
import { sendUses } from '../server/outgoing-uses.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import {
  type AgentPer,
  type DerivedFile,
  type ReaderOptions,
  TranscriptReader,
  transcriptFiles,
} from '../server/transcripts.js';
import { invalidArgument } from '../terminal/cli-error.js';
import {
  formatCount,
  type OutputOptions,
  Progress,
  print,
  printError,
  printJson,
  table,
} from '../terminal/terminal.js';
import { importSession } from './import-session.js';

const ROWS_SHOWN = 20;

export interface ImportSummary {
  files: number;
  agents: string[];
  /** Executions on the server after the import: new ones and duplicates. */
  imported: number;
  new: number;
  duplicates: number;
  /** New uses of the server's skills. */
  skillUses: number;
  badLines: number;
  skipped: Record<string, number>;
  /** Files that were not read, with the reason. */
  unreadFiles: { file: string; reason: string }[];
}

interface ImportOptions {
  agentPer: AgentPer;
  format?: string;
  agent?: string;
  dryRun?: boolean;
  all?: boolean;
  session?: string;
  product?: string;
}

const agentPerOption = () =>
  new Option('--agent-per <unit>', 'count each project or each file as one agent')
    .choices(['project', 'file'])
    .default('project');

export function importCommand(program: Command): void {
  program
    .command('import')
    .description(
      'import transcripts and traces; conversations, prompts and the output of successful calls stay on this machine',
    )
    .argument('[paths...]', 'files or folders')
    .option('--session <path>', 'import the session in this file, as the agent that its product is connected as')
    .addOption(
      new Option('--product <product>', 'with --session: the product that wrote the file').choices(HOOK_PRODUCTS),
    )
    .addOption(
      new Option('--format <format>', 'format of the files; auto detects it for each file')
        .choices(['auto', ...FORMATS])
        .default('auto'),
    )
    .addOption(agentPerOption())
    .option('--agent <agent>', 'name of the agent that ran all of them')
    .option('--dry-run', 'show what would be reported, without sending anything')
    .option('--all', 'with --dry-run: print every row of each list')
    .action((paths: string[], options: ImportOptions) => importPaths(program.opts<ConnectionOptions>(), paths, options))
    .addCommand(
      program
        .createCommand('claude-code')
        .description('Claude Code transcripts (~/.claude/projects); the same as --format claude-code')
        .argument('<paths...>', 'transcript files or folders')
        .addOption(agentPerOption())
        // If both commands have an option, commander gives its value to the outer one.
        .action((paths: string[], _options: ImportOptions, command: Command) =>
          importPaths(program.opts<ConnectionOptions>(), paths, {
            ...command.optsWithGlobals<ImportOptions>(),
            format: 'claude-code',
          }),
        ),
    );
}

async function importPaths(connection: ConnectionOptions, paths: string[], options: ImportOptions): Promise<void> {
  if (options.session !== undefined) return importSession(connection, options.session, paths, options);
  if (options.product !== undefined) throw invalidArgument('--product needs --session.');
  if (paths.length === 0) throw invalidArgument('Name files or folders, or one session with --session.');
  const format = options.format === 'auto' ? undefined : options.format;
  const anyFormat = format !== 'claude-code';
  const files = await transcriptFiles(paths, anyFormat);
  if (files.length === 0)
    throw invalidArgument(`No ${anyFormat ? '.jsonl or .json' : '.jsonl'} file found in ${paths.join(', ')}.`);
  if (options.dryRun === true) {
    const preview = await previewImport(files, { ...options, format });
    if (connection.json) return printJson(preview);
    return printPreview(preview, options.all === true ? Number.POSITIVE_INFINITY : ROWS_SHOWN);
  }
  const client = await connect(connection);
  const summary = await importFiles(client, files, { ...options, format }, connection);
  if (connection.json) return printJson(summary);
  printSummary(summary);
}

/** Reads the files one after the other and reports their executions. After an interruption, a second run continues. */
export async function importFiles(
  client: Guildbook,
  files: readonly string[],
  options: ReaderOptions,
  output: OutputOptions = {},
): Promise<ImportSummary> {
  const reader = new TranscriptReader(options);
  const progress = new Progress('import', output);
  const agents = new Set<string>();
  const twins = new Set<string>();
  const summary: ImportSummary = {
    files: files.length,
    agents: [],
    imported: 0,
    new: 0,
    duplicates: 0,
    skillUses: 0,
    badLines: 0,
    skipped: {},
    unreadFiles: [],
  };
  const onWait = () => progress.update('the server does not respond; retrying');
  const outgoing = new OutgoingReports(
    client,
    (agent, outcome, executionId) => {
      if (typeof outcome !== 'string') return countSkipped(summary, outcome.refused, 1);
      agents.add(agent);
      summary.imported += 1;
      summary[outcome === 'new' ? 'new' : 'duplicates'] += 1;
      if (outcome === 'twins') twins.add(executionId);
    },
    onWait,
  );
  const uses: DerivedFile['uses'][number][] = [];
  try {
    for (const [index, file] of files.entries()) {
      progress.update(`file ${index + 1} of ${files.length}, ${formatCount(summary.imported, 'execution')}`);
      const derived = await reader.read(file);
      count(summary, derived);
      for (const { agent, report } of derived.reports) await outgoing.add(agent, report);
      uses.push(...derived.uses);
    }
    await outgoing.flush();
    // The hooks of a session report its uses as well.
    const own = uses.filter(({ use }) => !twins.has(use.executionId));
    const sent = await sendUses(client, own, onWait);
    summary.skillUses = sent.new;
    for (const [reason, n] of sent.refused) countSkipped(summary, `skill use ${reason}`, n);
  } catch (error) {
    progress.done(`stopped after ${formatCount(summary.imported, 'execution')}`);
    if (!output.json) printError('The reported executions are stored. Run the same command again to continue.');
    throw error;
  }
  summary.agents = [...agents].sort();
  progress.done(`${formatCount(summary.imported, 'execution')} from ${formatCount(files.length, 'file')}`);
  return summary;
}

function count(summary: ImportSummary, derived: DerivedFile): void {
  summary.badLines += derived.badLines;
  if (derived.unreadReason !== undefined)
    summary.unreadFiles.push({ file: derived.file, reason: derived.unreadReason });
  for (const { reason, count: n } of derived.skipped) countSkipped(summary, reason, n);
}

function countSkipped(summary: ImportSummary, reason: string, n: number): void {
  summary.skipped[reason] = (summary.skipped[reason] ?? 0) + n;
}

export function printSummary(summary: ImportSummary): void {
  print(
    `Imported ${formatCount(summary.imported, 'execution')} of ${formatCount(summary.agents.length, 'agent')} ` +
      `from ${formatCount(summary.files, 'file')}: ${summary.new} new, ${formatCount(summary.duplicates, 'duplicate')}.`,
  );
  if (summary.skillUses > 0) print(`Reported ${formatCount(summary.skillUses, 'skill use')}.`);
  const skipped = Object.entries(summary.skipped);
  if (summary.badLines > 0) skipped.push(['unreadable lines', summary.badLines]);
  if (skipped.length > 0)
    print(
      `\nSkipped:\n${table(
        ['reason', 'count'],
        skipped.sort(([, a], [, b]) => b - a),
      )}`,
    );
  if (summary.unreadFiles.length > 0)
    print(
      `\nUnread files:\n${table(
        ['file', 'reason'],
        summary.unreadFiles.slice(0, ROWS_SHOWN).map(({ file, reason }) => [file, reason]),
      )}`,
    );
  if (summary.unreadFiles.length > ROWS_SHOWN)
    print(`and ${summary.unreadFiles.length - ROWS_SHOWN} more (--json lists all)`);
  print(
    '\nOnly redacted reports left this machine: no conversation, no prompt, no output of a successful call. The redacted error text of failed calls is included.\nNext: guildbook evolve',
  );
}
