import type { Command } from 'commander';
import type { UpkeepRun } from '../../memory/upkeep/upkeep.schema.js';
import { sumBy } from '../../platform/base/sum.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { oneLine, print, printJson, table } from '../terminal/terminal.js';
import { promotionCommands } from './promotions.js';

export function memoryCommands(program: Command): void {
  const memory = program.command('memory').description('the life of private lessons: upkeep, pins, retractions');
  const connection = () => program.opts<ConnectionOptions>();
  memory
    .command('upkeep')
    .description('prune, evict and copy private lessons now')
    .option('--dry-run', 'only say what would happen', false)
    .action((options: { dryRun: boolean }) => upkeep(connection(), options.dryRun));
  memory
    .command('runs')
    .description('the last runs of the upkeep')
    .option('--limit <n>', 'how many', '20')
    .action((options: { limit: string }) => runs(connection(), options.limit));
  memory
    .command('show <run>')
    .description('what a run did')
    .action((run: string) => show(connection(), run));
  memory
    .command('undo <run>')
    .description('bring back, pinned, what a run ended')
    .action((run: string) => undo(connection(), run));
  memory
    .command('pin <lesson>')
    .description('keep a lesson from the upkeep')
    .option('--off', 'leave it to the upkeep again', false)
    .action((lesson: string, options: { off: boolean }) => pin(connection(), lesson, !options.off));
  memory
    .command('retract <lesson>')
    .description('end a wrong lesson, with its copies')
    .requiredOption('--reason <text>', 'why')
    .action((lesson: string, options: { reason: string }) => retract(connection(), lesson, options.reason));
  promotionCommands(memory, connection);
}

async function upkeep(connection: ConnectionOptions, dryRun: boolean): Promise<void> {
  const run = await (await connect(connection)).upkeep.run(dryRun);
  if (connection.json) return printJson(run);
  printRun(run);
}

async function show(connection: ConnectionOptions, id: string): Promise<void> {
  const run = await (await connect(connection)).upkeep.show(id);
  if (connection.json) return printJson(run);
  printRun(run);
}

async function runs(connection: ConnectionOptions, limit: string): Promise<void> {
  const { items } = await (await connect(connection)).upkeep.list({ limit });
  if (connection.json) return printJson(items);
  if (items.length === 0) return print('No runs yet. guildbook memory upkeep --dry-run says what one would do.');
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

async function undo(connection: ConnectionOptions, id: string): Promise<void> {
  const undone = await (await connect(connection)).upkeep.undo(id);
  if (connection.json) return printJson(undone);
  print(`${undone.restored} lessons are back, and pinned.`);
}

async function pin(connection: ConnectionOptions, id: string, pinned: boolean): Promise<void> {
  const lesson = await (await connect(connection)).lesson.pin(id, pinned);
  if (connection.json) return printJson(lesson);
  print(oneLine(`${lesson.pinned ? 'Pinned' : 'Left to the upkeep'}: ${lesson.lesson.discovery}`));
}

async function retract(connection: ConnectionOptions, id: string, reason: string): Promise<void> {
  const lesson = await (await connect(connection)).lesson.retract(id, reason);
  if (connection.json) return printJson(lesson);
  print(oneLine(`Retracted: ${lesson.lesson.discovery}`));
}

const endedIn = ({ ended }: NonNullable<UpkeepRun['report']>): number => sumBy(Object.values(ended), (count) => count);

function printRun({ id, dryRun, report, undoUntil }: UpkeepRun): void {
  if (!report) {
    print(`Run ${id} left no report.`);
    return;
  }
  const { ended, agents, lessons, copied } = report;
  print(`${lessons} lessons of ${agents} agents; ${endedIn(report)} ${dryRun ? 'would be ended' : 'ended'}:`);
  print(table(['why', 'lessons'], Object.entries(ended)));
  print(`${copied} copies ${dryRun ? 'would be made' : 'made'} (${report.propagation}).`);
  const rows = report.endings.slice(0, 20).map((one) => [one.id, oneLine(one.agent), one.why]);
  if (rows.length > 0) print(`\n${table(['lesson', 'agent', 'why'], rows)}`);
  if (undoUntil) print(`\nUndo until ${undoUntil}: guildbook memory undo ${id}`);
}
