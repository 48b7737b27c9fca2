import type { Command } from 'commander';
import type {
  ConsolidationReport,
  ConsolidationRun,
  ProjectEntriesReport,
} from '../../consolidate/store/consolidation-run.schema.js';
import { agentId, consolidationRunId } from '../server/names.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { formatCount, oneLine, print, printJson, table } from '../terminal/terminal.js';
import { consolidatePauseCommands } from './consolidate-pauses.js';
import { consolidateSkillsCommand } from './consolidate-skills.js';

export function consolidateCommand(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  const consolidate = program
    .command('consolidate')
    .description('make one lesson or entry of those that say the same, of one agent or of all')
    .option('--agent <agent>', 'only this agent, by name or id')
    .option('--dry-run', 'show the changes without making them', false)
    .action((options: { agent?: string; dryRun: boolean }) => run(connection(), options));
  consolidate
    .command('list')
    .description('list the latest consolidation runs')
    .option('--limit <n>', 'maximum number of runs', '20')
    .action((options: { limit: string }) => list(connection(), options.limit));
  consolidate
    .command('show <consolidation>')
    .description('show what a run changed, and what it asks')
    .action((given: string) => show(connection(), given));
  consolidate
    .command('undo <consolidation>')
    .description('restore what a run ended, and end the lessons that it wrote')
    .action((given: string) => undo(connection(), given));
  consolidatePauseCommands(consolidate, connection);
  consolidateSkillsCommand(consolidate, connection);
}

async function run(connection: ConnectionOptions, options: { agent?: string; dryRun: boolean }): Promise<void> {
  const client = await connect(connection);
  const { agent, dryRun } = options;
  const only = agent === undefined ? {} : { agentId: await agentId(client, agent) };
  const started = await client.consolidation.run({ dryRun, ...only });
  if (connection.json) return printJson(started);
  if (started.items.length === 0) print('No agent has a memory to consolidate, or all of them are paused.');
  for (const one of started.items) printRun(one);
  for (const { agent: name } of started.busy) print(oneLine(`${name}: being consolidated by another run`));
}

async function list(connection: ConnectionOptions, limit: string): Promise<void> {
  const { items } = await (await connect(connection)).consolidation.list({ limit });
  if (connection.json) return printJson(items);
  if (items.length === 0) return print('No runs yet. Preview one with: guildbook consolidate --dry-run');
  print(
    table(
      ['run', 'agent', 'started', 'state', 'lessons', 'undo until'],
      items.map((one) => [
        one.id,
        oneLine(one.agent ?? ''),
        one.startedAt,
        one.state,
        one.report ? `${one.report.orient.lessons} → ${one.report.after.lessons}` : '',
        one.dryRun ? 'dry run' : one.undoneAt ? 'undone' : (one.undoUntil ?? ''),
      ]),
    ),
  );
}

async function show(connection: ConnectionOptions, given: string): Promise<void> {
  const client = await connect(connection);
  const one = await client.consolidation.show(await consolidationRunId(client, given));
  if (connection.json) return printJson(one);
  printRun(one);
}

async function undo(connection: ConnectionOptions, given: string): Promise<void> {
  const client = await connect(connection);
  const undone = await client.consolidation.undo(await consolidationRunId(client, given));
  if (connection.json) return printJson(undone);
  const { restored, ended, entries, run: one } = undone;
  print(`Restored ${formatCount(restored, 'lesson')} and ended ${ended} that the run ${one.id} wrote.`);
  if (entries.restored > 0)
    print(`Restored ${formatCount(entries.restored, 'entry', 'entries')} of the session memory.`);
  if (entries.skipped > 0)
    print(`${formatCount(entries.skipped, 'summary', 'summaries')} stayed ended: the session has a newer one.`);
}

function printRun({ id, agent, dryRun, state, failure, report, undoUntil }: ConsolidationRun): void {
  if (!report) {
    print(oneLine(`${agent ?? ''}: the run ${id} ${state}${failure ? `: ${failure}` : ''}`));
    return;
  }
  const { orient, gather, after } = report;
  print(
    oneLine(
      `${agent ?? ''}: ${formatCount(orient.lessons, 'lesson')} ${dryRun ? 'would become' : 'became'} ${after.lessons}; ${formatCount(gather.sessions, 'new session')}`,
    ),
  );
  printRows('lesson', lessonRows(report));
  for (const project of report.entries.items) printProject(project);
  if (undoUntil) print(`To undo this run before ${undoUntil}: guildbook consolidate undo ${id}`);
}

type Row = readonly [what: string, change: string, why: string];

function lessonRows({ consolidate, prune }: ConsolidationReport): Row[] {
  return [
    ...[...consolidate.merges.items, ...consolidate.generalised.items].map(
      ({ into, from, why }) => [into, `stands for ${formatCount(from.length, 'lesson')}`, why] as const,
    ),
    ...consolidate.dates.items.map(
      ({ into, replaced }) =>
        [into, 'absolute dates', replaced.map((date) => `${date.from} → ${date.to}`).join(', ')] as const,
    ),
    ...consolidate.contradictions.items.map(
      ({ lessons, kept, why }) =>
        [
          lessons.join(' '),
          kept === null ? 'which one holds? Correct or retire the other' : `keeps ${kept}`,
          why,
        ] as const,
    ),
    ...prune.items.map(({ id: lesson, why }) => [lesson, 'pruned', why] as const),
  ];
}

function printProject({ project, before, after, merged, ended, questions, skipped }: ProjectEntriesReport): void {
  const whose = project === null ? 'without a project' : `of ${project}`;
  print(oneLine(`session memory ${whose}: ${before.entries} → ${formatCount(after.entries, 'entry', 'entries')}`));
  printRows('entry', [
    ...merged.items.map(
      ({ into, from, why }) => [into, `stands for ${formatCount(from.length, 'entry', 'entries')}`, why] as const,
    ),
    ...questions.items.map(
      ({ entries, why }) => [entries.join(' '), 'which one holds? Edit or delete the other', why] as const,
    ),
    ...ended.items.map(({ id, why }) => [id, 'ended', why] as const),
  ]);
  if (skipped > 0) print(`${formatCount(skipped, 'change')} left out, because an entry changed meanwhile`);
}

function printRows(what: string, rows: readonly Row[]): void {
  if (rows.length === 0) return;
  print(
    table(
      [what, 'change', 'why'],
      rows.map((row) => row.map(oneLine)),
    ),
  );
}
