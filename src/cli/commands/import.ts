import { type Command, Option } from 'commander';
import { type Guildbook, GuildbookError, NoAnswerError } from '../../client/guildbook.js';
import { type ConnectionOptions, connect } from '../session.js';
import { counted, Progress, print, printError, printJson, table } from '../terminal.js';
import { type AgentPer, type Derived, TranscriptReader, transcriptFiles } from '../transcripts.js';

const TRIES = 5;
const FIRST_WAIT_MS = 300;
/** Refusals of one report, which say nothing about the next one. */
const REFUSED: ReadonlySet<number> = new Set([400, 409, 413]);

export interface ImportSummary {
  files: number;
  agents: string[];
  /** Executions that are on the server now: new ones and those that were there already. */
  taken: number;
  new: number;
  alreadyThere: number;
  /** Uses of the server's skills, new ones only. */
  skillUses: number;
  badLines: number;
  left: Record<string, number>;
}

export function importCommand(program: Command): void {
  program
    .command('import')
    .description(
      'import transcripts: derives reports here; no conversation, prompt or output of a successful call leaves this machine',
    )
    .addCommand(
      program
        .createCommand('claude-code')
        .description('Claude Code transcripts (~/.claude/projects)')
        .argument('<paths...>', 'transcript files, or folders that hold some')
        .addOption(
          new Option('--agent-per <unit>', 'what counts as one agent').choices(['project', 'file']).default('project'),
        )
        .action((paths: string[], options: { agentPer: AgentPer }) =>
          importClaudeCode(program.opts<ConnectionOptions>(), paths, options.agentPer),
        ),
    );
}

async function importClaudeCode(options: ConnectionOptions, paths: string[], agentPer: AgentPer): Promise<void> {
  const client = await connect(options);
  const files = await transcriptFiles(paths);
  if (files.length === 0) throw new Error(`There is no .jsonl file below ${paths.join(', ')}.`);
  const summary = await importFiles(client, files, agentPer);
  if (options.json) return printJson(summary);
  printSummary(summary);
}

/** Reads and reports file after file. Interrupted at any point, a second run takes up where it ended. */
export async function importFiles(
  client: Guildbook,
  files: readonly string[],
  agentPer: AgentPer,
): Promise<ImportSummary> {
  const reader = new TranscriptReader(agentPer);
  const progress = new Progress('import');
  let published: ReadonlySet<string> | undefined;
  const agents = new Set<string>();
  const summary: ImportSummary = {
    files: files.length,
    agents: [],
    taken: 0,
    new: 0,
    alreadyThere: 0,
    skillUses: 0,
    badLines: 0,
    left: {},
  };
  try {
    for (const [index, file] of files.entries()) {
      progress.update(`file ${index + 1} of ${files.length}, ${counted(summary.taken, 'execution')}`);
      const derived = await reader.read(file);
      count(summary, derived);
      for (const { agent, report } of derived.reports) {
        const outcome = await send(() => client.executions.report(report, agent), progress);
        if (outcome === 'new' || outcome === 'alreadyThere') {
          agents.add(agent);
          summary.taken += 1;
          summary[outcome] += 1;
        } else leave(summary, outcome.refused, 1);
      }
      if (derived.uses.length > 0) published ??= await publishedNames(client);
      for (const { agent, skill, use } of derived.uses) {
        if (!published?.has(skill)) continue;
        const outcome = await send(() => client.skills.use(skill, use, agent), progress);
        if (outcome === 'new') summary.skillUses += 1;
        else if (outcome !== 'alreadyThere') leave(summary, `use of a skill ${outcome.refused}`, 1);
      }
    }
  } catch (error) {
    progress.done(`stopped after ${counted(summary.taken, 'execution')}`);
    printError('What was reported is safe; run the same command again to go on.');
    throw error;
  }
  summary.agents = [...agents].sort();
  progress.done(`${counted(summary.taken, 'execution')} from ${counted(files.length, 'file')}`);
  return summary;
}

/** A machine has skills of many origins; only those that this server publishes are its business. */
async function publishedNames(client: Guildbook): Promise<ReadonlySet<string>> {
  try {
    return new Set((await client.skills.list()).items.map(({ name }) => name));
  } catch (error) {
    // A service that may report and not read: its executions are still welcome.
    if (error instanceof GuildbookError && error.problem.status === 403) return new Set();
    throw error;
  }
}

function count(summary: ImportSummary, derived: Derived): void {
  summary.badLines += derived.badLines;
  for (const { reason, count: n } of derived.left) leave(summary, reason, n);
}

function leave(summary: ImportSummary, reason: string, n: number): void {
  summary.left[reason] = (summary.left[reason] ?? 0) + n;
}

/** A report is idempotent, so a lost answer is asked for again; a server that stays away ends the import. */
async function send(
  report: () => Promise<{ duplicate: boolean }>,
  progress: Progress,
): Promise<'new' | 'alreadyThere' | { refused: string }> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await report()).duplicate ? 'alreadyThere' : 'new';
    } catch (error) {
      if (error instanceof GuildbookError && REFUSED.has(error.problem.status)) return { refused: reasonOf(error) };
      const passing =
        error instanceof NoAnswerError || (error instanceof GuildbookError && error.problem.status >= 500);
      if (!passing || attempt === TRIES) throw error;
      progress.update('the server does not answer; trying again');
      await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** attempt));
    }
  }
}

function reasonOf({ problem }: GuildbookError): string {
  return problem.code === 'execution.content_differs'
    ? 'reported before with other content'
    : `refused by the server: ${problem.code}`;
}

export function printSummary(summary: ImportSummary): void {
  print(
    `Took ${counted(summary.taken, 'execution')} of ${counted(summary.agents.length, 'agent')} ` +
      `from ${counted(summary.files, 'file')}: ` +
      `${summary.new} new, ${summary.alreadyThere} already there.`,
  );
  if (summary.skillUses > 0) print(`Reported ${counted(summary.skillUses, 'use')} of skills.`);
  const left = Object.entries(summary.left);
  if (summary.badLines > 0) left.push(['lines that are no readable record', summary.badLines]);
  if (left.length > 0)
    print(
      `\nLeft out:\n${table(
        ['reason', 'count'],
        left.sort(([, a], [, b]) => b - a),
      )}`,
    );
  print(
    '\nNo conversation, prompt or output of a call that succeeded left this machine; of failed calls, the redacted error text did. Next: guildbook evolve',
  );
}
