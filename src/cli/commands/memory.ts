import { type Command, Option } from 'commander';
import { Scope } from '../../memory/store/lesson.schema.js';
import type { Tombstone } from '../../memory/store/memory.schema.js';
import type { UpkeepRun } from '../../memory/upkeep/upkeep.schema.js';
import { sumBy } from '../../platform/base/sum.js';
import { agentId, lessonId, upkeepRunId } from '../server/names.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { formatCount, oneLine, print, printJson, table } from '../terminal/terminal.js';
import { promotionCommands } from './promotions.js';

/** Lessons of a run that are printed without `--all`. */
const ROWS = 20;

export function memoryCommands(program: Command): void {
  const memory = program.command('memory').description('maintain, pin, verify and retire private lessons');
  const connection = () => program.opts<ConnectionOptions>();
  memory
    .command('upkeep')
    .description('prune, evict and copy private lessons now')
    .option('--dry-run', 'show the changes without making them', false)
    .option('--all', 'print every lesson of the run', false)
    .action((options: { dryRun: boolean; all: boolean }) => upkeep(connection(), options.dryRun, options.all));
  memory
    .command('runs')
    .description('list the latest upkeep runs')
    .option('--limit <n>', 'maximum number of runs', '20')
    .action((options: { limit: string }) => runs(connection(), options.limit));
  memory
    .command('show <run>')
    .description('show what a run changed')
    .option('--all', 'print every lesson of the run', false)
    .action((run: string, options: { all: boolean }) => show(connection(), run, options.all));
  memory
    .command('undo <run>')
    .description('restore the lessons that a run ended, and pin them')
    .action((run: string) => undo(connection(), run));
  memory
    .command('pin <lesson>')
    .description('exclude a lesson from upkeep')
    .option('--off', 'include the lesson in upkeep again', false)
    .action((lesson: string, options: { off: boolean }) => pin(connection(), lesson, !options.off));
  memory
    .command('retire <lesson>')
    .description('retire a wrong lesson and its copies')
    .requiredOption('--reason <text>', 'reason, for the journal')
    .action((lesson: string, options: { reason: string }) => retire(connection(), lesson, options.reason));
  memory
    .command('tombstones [memory]')
    .description('list memories that have ended, with what superseded them, by whom and when; or show one')
    .option('--agent <agent>', 'only memories of this agent')
    .addOption(new Option('--scope <scope>', 'whose memories').choices(Scope.options))
    .option('--limit <n>', 'maximum number of memories', '20')
    .action((id: string | undefined, options: TombstoneOptions) => tombstones(connection(), id, options));
  promotionCommands(memory, connection);
}

interface TombstoneOptions {
  readonly agent?: string;
  readonly scope?: string;
  readonly limit: string;
}

async function tombstones(
  connection: ConnectionOptions,
  id: string | undefined,
  { agent, ...query }: TombstoneOptions,
): Promise<void> {
  const client = await connect(connection);
  if (id !== undefined) {
    const tombstone = await client.tombstones.show(id);
    if (connection.json) return printJson(tombstone);
    return printTombstone(tombstone);
  }
  const named = agent === undefined ? {} : { agent: await agentId(client, agent) };
  const { items, total } = await client.tombstones.list({ ...query, ...named });
  if (connection.json) return printJson({ items, total });
  if (items.length === 0) return print('No memory has ended yet.');
  for (const tombstone of items) printTombstone(tombstone);
  print(`\n${items.length} of ${total} that have ended`);
}

function printTombstone({ memory, endedAt, reason, supersededBy, endedBy }: Tombstone): void {
  const successor = supersededBy
    ? `superseded by ${supersededBy.id}: ${supersededBy.lesson.discovery}`
    : (reason ?? 'ended');
  const who = endedBy
    ? `${endedBy.name} (${endedBy.kind}), ${endedBy.action}, journal entry ${endedBy.seq}`
    : 'unknown';
  print(`- ${oneLine(memory.id)}  ${oneLine(memory.lesson.discovery)}`);
  print(`    ${oneLine(`${memory.scope}, ended ${endedAt}${supersededBy && reason ? ` (${reason})` : ''}`)}`);
  print(`    ${oneLine(successor)}`);
  print(`    ${oneLine(`by ${who}`)}`);
}

async function upkeep(connection: ConnectionOptions, dryRun: boolean, all: boolean): Promise<void> {
  const run = await (await connect(connection)).upkeep.run(dryRun);
  if (connection.json) return printJson(run);
  printRun(run, all);
}

async function show(connection: ConnectionOptions, given: string, all: boolean): Promise<void> {
  const client = await connect(connection);
  const run = await client.upkeep.show(await upkeepRunId(client, given));
  if (connection.json) return printJson(run);
  printRun(run, all);
}

async function runs(connection: ConnectionOptions, limit: string): Promise<void> {
  const { items } = await (await connect(connection)).upkeep.list({ limit });
  if (connection.json) return printJson(items);
  if (items.length === 0) return print('No runs yet. Preview one with: guildbook memory upkeep --dry-run');
  print(
    table(
      ['run', 'started', 'ended', 'copied', 'undo until'],
      items.map((run) => [
        run.id,
        run.startedAt,
        run.report ? endedIn(run.report) : 'failed',
        run.report?.copied ?? '',
        run.dryRun ? 'dry run' : run.undoneAt ? 'undone' : (run.undoUntil ?? ''),
      ]),
    ),
  );
}

async function undo(connection: ConnectionOptions, given: string): Promise<void> {
  const client = await connect(connection);
  const undone = await client.upkeep.undo(await upkeepRunId(client, given));
  if (connection.json) return printJson(undone);
  print(`Restored and pinned ${formatCount(undone.restored, 'lesson')} of the run ${undone.run.id}.`);
}

async function pin(connection: ConnectionOptions, given: string, pinned: boolean): Promise<void> {
  const client = await connect(connection);
  const lesson = await client.lesson.pin(await lessonId(client, given), pinned);
  if (connection.json) return printJson(lesson);
  print(oneLine(`${lesson.pinned ? 'Pinned' : 'Unpinned'}: ${lesson.lesson.discovery}`));
}

async function retire(connection: ConnectionOptions, given: string, reason: string): Promise<void> {
  const client = await connect(connection);
  const lesson = await client.lesson.retire(await lessonId(client, given), reason);
  if (connection.json) return printJson(lesson);
  print(oneLine(`Retired: ${lesson.lesson.discovery}, id ${lesson.id}`));
}

const endedIn = ({ ended }: NonNullable<UpkeepRun['report']>): number => sumBy(Object.values(ended), (count) => count);

function printRun({ id, dryRun, report, undoUntil }: UpkeepRun, all: boolean): void {
  if (!report) {
    print(`Run ${id} has no report.`);
    return;
  }
  const { ended, agents, lessons, copied } = report;
  print(
    `${formatCount(lessons, 'lesson')} of ${formatCount(agents, 'agent')}; ${endedIn(report)} ${dryRun ? 'would end' : 'ended'}:`,
  );
  print(table(['reason', 'lessons'], Object.entries(ended)));
  print(
    `${formatCount(copied, 'copy', 'copies')} ${dryRun ? 'would be made' : 'made'} (propagation: ${report.propagation}).`,
  );
  const rows = report.endings.map((one) => [one.id, oneLine(one.agent), one.why]);
  const shown = all ? rows : rows.slice(0, ROWS);
  if (rows.length > 0) print(`\n${table(['lesson', 'agent', 'reason'], shown)}`);
  const more = endedIn(report) - shown.length;
  if (more > 0)
    print(all ? `… and ${more} more that the run does not list.` : `… and ${more} more: --all prints them.`);
  if (undoUntil) print(`\nTo undo this run before ${undoUntil}: guildbook memory undo ${id}`);
}
