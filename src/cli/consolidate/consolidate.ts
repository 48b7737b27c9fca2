import type { Command } from 'commander';
import type {
  ConsolidationReport,
  ConsolidationRun,
  ConsolidationStarted,
  ConsolidationUndoResult,
  ProjectEntriesReport,
} from '../../consolidate/store/consolidation-run.schema.js';
import { agentId, consolidationRunId } from '../server/names.js';
import { answer, type ConnectionOptions, printList } from '../server/session.js';
import { formatCount, oneLine, print, table } from '../terminal/terminal.js';
import { consolidatePauseCommands } from './consolidate-pauses.js';
import { consolidateSkillsCommand } from './consolidate-skills.js';

export function consolidateCommand(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  const consolidate = program
    .command('consolidate')
    .description('make one lesson or entry of those that say the same, of one agent or of all')
    .option('--agent <agent>', 'only this agent, by name or id')
    .option('--dry-run', 'show the changes without making them', false)
    .action(({ agent, dryRun }: { agent?: string; dryRun: boolean }) =>
      answer(
        connection(),
        async (client) => {
          const only = agent === undefined ? {} : { agentId: await agentId(client, agent) };
          return client.consolidation.run({ dryRun, ...only });
        },
        printStarted,
      ),
    );
  consolidate
    .command('list')
    .description('list the latest consolidation runs')
    .option('--limit <n>', 'maximum number of runs', '20')
    .action((query: { limit: string }) =>
      printList(
        connection(),
        (client) => client.consolidation.list({ ...query }),
        ['run', 'agent', 'started', 'state', 'lessons', 'undo until'],
        ({ id, agent, startedAt, state, report, dryRun, undoneAt, undoUntil }) => [
          ...[id, agent ?? '', startedAt, state],
          report ? `${report.orient.lessons} → ${report.after.lessons}` : '',
          dryRun ? 'dry run' : undoneAt ? 'undone' : (undoUntil ?? ''),
        ],
        'No runs yet. Preview one with: guildbook consolidate --dry-run',
      ),
    );
  consolidate
    .command('show <consolidation>')
    .description('show what a run changed, and what it asks')
    .action((given: string) =>
      answer(
        connection(),
        async (client) => client.consolidation.show(await consolidationRunId(client, given)),
        printRun,
      ),
    );
  consolidate
    .command('undo <consolidation>')
    .description('restore what a run ended, and end the lessons that it wrote')
    .action((given: string) =>
      answer(
        connection(),
        async (client) => client.consolidation.undo(await consolidationRunId(client, given)),
        printUndone,
      ),
    );
  consolidatePauseCommands(consolidate, connection);
  consolidateSkillsCommand(consolidate, connection);
}

function printStarted({ items, busy }: ConsolidationStarted): void {
  if (items.length === 0) print('No agent has a memory to consolidate, or all of them are paused.');
  for (const one of items) printRun(one);
  for (const { agent } of busy) print(oneLine(`${agent}: being consolidated by another run`));
}

function printUndone({ restored, ended, entries, run }: ConsolidationUndoResult): void {
  print(`Restored ${formatCount(restored, 'lesson')} and ended ${ended} that the run ${run.id} wrote.`);
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
  print(table([what, 'change', 'why'], rows));
}
