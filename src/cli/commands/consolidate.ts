import type { Command } from 'commander';
import type {
  ConsolidationPause,
  ConsolidationReport,
  ConsolidationRun,
  ConsolidationStarted,
  ConsolidationUndoResult,
  ProjectEntriesReport,
} from '../../consolidate/consolidation-run.schema.js';
import type { MergeSearch } from '../../consolidate/merges.schema.js';
import { agentId, consolidationPauseId, consolidationRunId } from '../server/names.js';
import { answer, type ConnectionOptions, connect, printList } from '../server/session.js';
import { formatCount, oneLine, print, printJson, table } from '../terminal/terminal.js';

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

function consolidatePauseCommands(consolidate: Command, connection: () => ConnectionOptions): void {
  consolidate
    .command('pause')
    .description('keep the memory of one agent, or of all, as it is until you resume')
    .option('--agent <agent>', 'only this agent, by name or id')
    .action((_options: unknown, command: Command) => pause(connection(), agentOf(command)));
  consolidate
    .command('resume [agent]')
    .description('end the pause of an agent, or the pause with this id; without one, all pauses')
    .action((given?: string) => resume(connection(), given));
  consolidate
    .command('pauses')
    .description('list whose consolidation is paused')
    .action(() =>
      printList(
        connection(),
        (client) => client.consolidation.pauses(),
        ['pause', 'of', 'since'],
        (one) => [one.id, whose(one), one.since],
        'Nothing is paused.',
      ),
    );
}

/** `--agent` is an option of `consolidate` too, which takes it wherever it stands. */
const agentOf = (command: Command): string | undefined => command.optsWithGlobals<{ agent?: string }>().agent;

const pause = (connection: ConnectionOptions, agent: string | undefined): Promise<void> =>
  answer(
    connection,
    async (client) => client.consolidation.pause(agent === undefined ? {} : { agentId: await agentId(client, agent) }),
    (added) =>
      print(oneLine(`Paused: ${whose(added)}. To resume: guildbook consolidate resume ${added.id.slice(0, 8)}`)),
  );

async function resume(connection: ConnectionOptions, given?: string): Promise<void> {
  const client = await connect(connection);
  const ids =
    given === undefined
      ? (await client.consolidation.pauses()).items.map(({ id }) => id)
      : [await consolidationPauseId(client, given)];
  for (const id of ids) await client.consolidation.resume(id);
  if (connection.json) return printJson({ resumed: ids });
  if (ids.length === 0) return print('Nothing is paused.');
  for (const id of ids) print(`Resumed: ${id}`);
}

const whose = ({ agent, agentId: id }: ConsolidationPause): string => agent ?? id ?? 'all agents';

const OUTCOMES: Readonly<Record<MergeSearch['merges'][number]['outcome'], string>> = {
  submitted: 'proposed',
  dry_run: 'would be proposed',
  pending: 'a proposal about one of the two is pending',
  rejected: 'rejected before',
  changed: 'one of the two changed meanwhile',
  held_back: 'enough merges are pending',
};

interface DryRun {
  readonly dryRun: boolean;
}

/** Adds `skills` to the command `consolidate`. */
function consolidateSkillsCommand(consolidate: Command, connection: () => ConnectionOptions): void {
  consolidate
    .command('skills')
    .description('propose to merge live skills that say the same')
    .option('--dry-run', 'show the pairs without proposing anything', false)
    .action((options: DryRun, command: Command) => {
      // The parent takes an option of the same name, also after the name of this command.
      const dryRun = options.dryRun || command.parent?.opts<Partial<DryRun>>().dryRun === true;
      return answer(connection(), (client) => client.mergeSkills(dryRun), printMerges);
    });
}

function printMerges({ skills, inRollout, merges }: MergeSearch): void {
  const left = inRollout > 0 ? `; ${formatCount(inRollout, 'skill')} in rollout not compared` : '';
  print(
    `${formatCount(skills, 'live skill')} compared, ${formatCount(merges.length, 'pair')} that say the same${left}.`,
  );
  if (merges.length === 0) return;
  print(
    table(
      ['stays', 'goes', 'outcome', 'proposal'],
      merges.map(({ keep, retire, outcome, proposalId }) => [
        ...[keep.skillName, retire.skillName, OUTCOMES[outcome] ?? outcome, proposalId ?? ''],
      ]),
    ),
  );
  for (const { retire, says } of merges) print(oneLine(`${retire.skillName}: ${says}`));
}
