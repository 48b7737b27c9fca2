import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { PRODUCTS } from '../../access/identity/access.schema.js';
import { FORMATS } from '../../capture/formats/foreign-formats.js';
import { HOOK_PRODUCTS } from '../../capture/hook-events/products.js';
import { Guildbook } from '../../client/guildbook.js';
import { exitBySignal, type StopSignal } from '../../platform/background/stop-on-signal.js';
import { yieldToEventLoop } from '../../platform/background/yielder.js';
import { sumBy } from '../../platform/base/sum.js';
import { userFolders } from '../../platform/config/environment.js';
import { previewImport, printPreview } from '../server/import-preview.js';
import { OutgoingReports, OutgoingUses } from '../server/outgoing-reports.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { readSettings, settingsFile } from '../server/session-settings.js';
import {
  type AgentPer,
  type ReadExecution,
  type ReaderOptions,
  type ReadFile,
  TranscriptReader,
} from '../server/transcripts.js';
import type { Source } from '../sources/source.js';
import { type FoundFiles, PRODUCT_FOLDERS, transcriptFiles } from '../sources/transcript-files.js';
import { ByteProgress } from '../terminal/byte-progress.js';
import { EXIT, invalidArgument } from '../terminal/cli-error.js';
import { commandProcess } from '../terminal/command-process.js';
import { formatCount, type OutputOptions, printError, printJson } from '../terminal/terminal.js';
import { importSession } from './import-session.js';
import { type ImportSummary, ImportTotals, needsAttention, printSummary } from './import-summary.js';

const ROWS_SHOWN = 20;
/** Until its first execution, reading such a file takes so long that a signal must end the program itself. */
const LONG_BYTES = 64 * 1024 * 1024;

interface ImportOptions {
  agentPer: AgentPer;
  format?: string | undefined;
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
  if (files.sources.length + files.unread.length === 0) {
    const leftOut = Object.entries(files.leftOut).map(([reason, count]) => ` Left out: ${count} (${reason}).`);
    const names = anyFormat ? '.jsonl or .json' : '.jsonl';
    throw invalidArgument(`No ${names} file found in ${paths.join(', ')}.${leftOut.join('')}`);
  }
  const reading = { ...options, format };
  const result =
    options.dryRun === true ? await preview(files, reading, connection) : await take(files, reading, connection);
  if (needsAttention(result)) commandProcess().exitCode = EXIT.failed;
}

async function preview(files: FoundFiles, options: ImportOptions, connection: ConnectionOptions) {
  const result = await previewImport(files, options, connection);
  if (connection.json) printJson(result);
  else printPreview(result, options.all === true ? Number.POSITIVE_INFINITY : ROWS_SHOWN);
  return result;
}

async function take(files: FoundFiles, options: ImportOptions, connection: ConnectionOptions) {
  const client = await connect(connection);
  const interruption = new Interruption();
  interruption.watch();
  const summary = await importFiles(client, files, options, connection, interruption);
  if (connection.json) printJson(summary);
  else printSummary(summary);
  interruption.finish();
  return summary;
}

/**
 * Reads the files one after the other and reports each execution as soon as it is read. After an interruption, a second
 * run continues. A signal ends the import after the execution that is read.
 */
export async function importFiles(
  client: Guildbook,
  files: FoundFiles,
  options: ReaderOptions,
  output: OutputOptions = {},
  interruption?: Interruption,
): Promise<ImportSummary> {
  const totals = new ImportTotals(files);
  const { summary } = totals;
  const progress = new ByteProgress(
    'import',
    sumBy(files.sources, ({ bytes }) => bytes),
    output,
  );
  const reader = new TranscriptReader(options, (bytes) => progress.read(bytes), files.sources);
  const isNamed = options.agent !== undefined || options.agentPer === 'file';
  const connectedAs: ConnectedAgentOf = isNamed ? () => undefined : await connectedAgents(client);
  const onWait = () => progress.note('the server does not respond; retrying');
  const outgoing = new OutgoingReports(client, (sent, outcome) => totals.addReport(sent, outcome), onWait);
  const uses = new OutgoingUses(client, {
    // The hooks of a session report its uses as well.
    isOwn: ({ use }) => !totals.twins.has(use.executionId),
    flush: () => outgoing.flush(),
    onWait,
  });
  let before = 0;
  try {
    for (const [index, source] of files.sources.entries()) {
      if (interruption?.signal !== undefined) summary.stopped = true;
      if (summary.stopped) break;
      const describe = () =>
        `file ${index + 1} of ${files.sources.length}, ${formatCount(summary.imported, 'execution')}`;
      progress.startFile(before, describe());
      const take = async ({ uses: used, ...one }: ReadExecution) => {
        const agent = connectedAs(one.format, source.path) ?? one.agent;
        await outgoing.add({ ...one, agent });
        await uses.add(used.map((use) => ({ ...use, agent: use.agent === one.agent ? agent : use.agent })));
        progress.describe(describe());
      };
      totals.addFile(await readInterruptibly(reader, source, { outgoing, take }, interruption));
      before += source.bytes;
    }
    const sent = await uses.send();
    totals.addUses(sent.new, sent.refused);
  } catch (error) {
    progress.done(`stopped after ${formatCount(summary.imported, 'execution')}`);
    if (!output.json) printError('The reported executions are stored. Run the same command again to continue.');
    throw error;
  }
  progress.done(`${formatCount(summary.imported, 'execution')} from ${formatCount(summary.files, 'file')}`);
  return summary;
}

/** Reads a source, and stops after an execution that a signal follows. */
async function readInterruptibly(
  reader: TranscriptReader,
  source: Source,
  { outgoing, take }: { outgoing: OutgoingReports; take: (execution: ReadExecution) => Promise<void> },
  interruption: Interruption | undefined,
): Promise<ReadFile> {
  let isUnwatched = interruption !== undefined && source.bytes >= LONG_BYTES;
  const watch = () => {
    if (isUnwatched) interruption?.watch();
    isUnwatched = false;
  };
  if (isUnwatched) {
    await outgoing.flush();
    interruption?.ignore();
  }
  try {
    return await reader.readEach(source, async (execution) => {
      // A file that hands on its executions one by one leaves time for a signal.
      watch();
      await take(execution);
      await yieldToEventLoop();
      return interruption?.signal === undefined;
    });
  } finally {
    watch();
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** On Ctrl-C the terminal sends one signal and npm forwards another; a person needs longer for a second one. */
const AGAIN_AFTER_MS = 1_000;

/** Lets a long command end at a safe point after a signal. A second signal ends it at once. */
export class Interruption {
  signal: StopSignal | undefined;
  private at = 0;
  private readonly process = commandProcess();
  private readonly onSignal = (signal: StopSignal): void => {
    if (this.signal === undefined) {
      this.signal = signal;
      this.at = performance.now();
    } else if (performance.now() - this.at > AGAIN_AFTER_MS) this.finish();
  };

  /** From now on a signal is noted. */
  watch(): void {
    for (const signal of SIGNALS) this.process.on(signal, this.onSignal);
  }

  /** From now on a signal ends the program, as it must while long work leaves no time to look at it. */
  ignore(): void {
    for (const signal of SIGNALS) this.process.off(signal, this.onSignal);
  }

  /** Ends the program if there was a signal, so that the shell sees it. */
  finish(): void {
    this.ignore();
    if (this.signal !== undefined) exitBySignal(this.signal);
  }
}

const TIMEOUT_MS = 5_000;

/** The agent that a session's program is connected as; undefined for a program, or a file, that is not connected. */
type ConnectedAgentOf = (format: string, file: string) => string | undefined;

/**
 * The agents that the caller connected on this machine, by product. An import gives the sessions that these programs keep
 * here to the agents that report the next ones, so that one person's work on one machine has the same agents on both ways.
 */
async function connectedAgents(client: Guildbook): Promise<ConnectedAgentOf> {
  const agents = new Map<string, string>();
  let owner: string | undefined;
  for (const product of PRODUCTS) {
    const settings = await readSettings(settingsFile(product));
    if (settings?.server !== client.server) continue;
    owner ??= (await client.me()).principal.name;
    const connected = new Guildbook({ ...settings, timeoutMs: TIMEOUT_MS, rateLimitWaitMs: 0 });
    const agent = await connected.me().catch(() => undefined);
    if (agent?.principal.kind === 'agent' && agent.principal.owner === owner) agents.set(product, agent.principal.name);
  }
  const { home: named } = userFolders(commandProcess().env);
  const home = await realpath(named).catch(() => named);
  const own = PRODUCT_FOLDERS.map((folder) => join(home, folder, '/'));
  return (format, file) => (own.some((folder) => file.startsWith(folder)) ? agents.get(format) : undefined);
}
