import type { Command } from 'commander';
import type { ConsolidationRun } from '../../consolidate/store/consolidation-run.schema.js';
import { agentId, consolidationRunId } from '../server/names.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { formatCount, oneLine, print, printJson, table } from '../terminal/terminal.js';
import { consolidateSkillsCommand } from './consolidate-skills.js';

export function consolidateCommand(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  const consolidate = program
    .command('consolidate')
    .description('make one lesson of those that say the same, of one agent or of all')
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
    .description('restore the lessons that a run ended, and end those that it wrote')
    .action((given: string) => undo(connection(), given));
  consolidateSkillsCommand(consolidate, connection);
}

async function run(connection: ConnectionOptions, options: { agent?: string; dryRun: boolean }): Promise<void> {
  const client = await connect(connection);
  const { agent, dryRun } = options;
  const only = agent === undefined ? {} : { agentId: await agentId(client, agent) };
  const started = await client.consolidation.run({ dryRun, ...only });
  if (connection.json) return printJson(started);
  if (started.items.length === 0) print('No agent has lessons to consolidate, or all of them are paused.');
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
  const { restored, ended, run: one } = undone;
  print(`Restored ${formatCount(restored, 'lesson')} and ended ${ended} that the run ${one.id} wrote.`);
}

function printRun({ id, agent, dryRun, state, failure, report, undoUntil }: ConsolidationRun): void {
  if (!report) {
    print(oneLine(`${agent ?? ''}: the run ${id} ${state}${failure ? `: ${failure}` : ''}`));
    return;
  }
  const { orient, gather, consolidate, prune, after } = report;
  print(
    oneLine(
      `${agent ?? ''}: ${formatCount(orient.lessons, 'lesson')} ${dryRun ? 'would become' : 'became'} ${after.lessons}; ${formatCount(gather.sessions, 'new session')}`,
    ),
  );
  const rows = [
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
  if (rows.length > 0)
    print(
      table(
        ['lesson', 'change', 'why'],
        rows.map((row) => row.map(oneLine)),
      ),
    );
  if (undoUntil) print(`To undo this run before ${undoUntil}: guildbook consolidate undo ${id}`);
}
