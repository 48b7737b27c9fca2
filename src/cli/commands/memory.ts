import { Argument, type Command, Option } from 'commander';
import { Scope } from '../../memory/store/lesson.schema.js';
import { type Tombstone, VerifyLesson } from '../../memory/store/memory.schema.js';
import type { UpkeepRun } from '../../memory/upkeep/upkeep.schema.js';
import { sumBy } from '../../platform/base/sum.js';
import { type Promotion, type PromotionList, PromotionListState } from '../../promote/promotion.schema.js';
import { agentId, lessonId, upkeepRunId } from '../server/names.js';
import { answer, type ConnectionOptions, printList } from '../server/session.js';
import { formatCount, oneLine, print, table } from '../terminal/terminal.js';

/** Lessons of a run that are printed without `--all`. */
const ROWS = 20;

export function memoryCommands(program: Command): void {
  const memory = program.command('memory').description('maintain, pin, verify and retire private lessons');
  const connection = () => program.opts<ConnectionOptions>();
  upkeepCommands(memory, connection);
  memory
    .command('pin <lesson>')
    .description('exclude a lesson from upkeep')
    .option('--off', 'include the lesson in upkeep again', false)
    .action((given: string, { off }: { off: boolean }) =>
      answer(
        connection(),
        async (client) => client.lesson.pin(await lessonId(client, given), !off),
        ({ pinned, lesson }) => print(oneLine(`${pinned ? 'Pinned' : 'Unpinned'}: ${lesson.discovery}`)),
      ),
    );
  memory
    .command('retire <lesson>')
    .description('retire a wrong lesson and its copies')
    .requiredOption('--reason <text>', 'reason, for the journal')
    .action((given: string, { reason }: { reason: string }) =>
      answer(
        connection(),
        async (client) => client.lesson.retire(await lessonId(client, given), reason),
        ({ lesson, id }) => print(oneLine(`Retired: ${lesson.discovery}, id ${id}`)),
      ),
    );
  memory
    .command('tombstones [memory]')
    .description('list memories that have ended, with what superseded them, by whom and when; or show one')
    .option('--agent <agent>', 'only memories of this agent')
    .addOption(new Option('--scope <scope>', 'whose memories').choices(Scope.options))
    .option('--limit <n>', 'maximum number of memories', '20')
    .action((id: string | undefined, options: TombstoneOptions) => tombstones(connection(), id, options));
  promotionCommands(memory, connection);
}

function upkeepCommands(memory: Command, connection: () => ConnectionOptions): void {
  memory
    .command('upkeep')
    .description('prune, evict and copy private lessons now')
    .option('--dry-run', 'show the changes without making them', false)
    .option('--all', 'print every lesson of the run', false)
    .action(({ dryRun, all }: { dryRun: boolean; all: boolean }) =>
      answer(
        connection(),
        (client) => client.upkeep.run(dryRun),
        (run) => printRun(run, all),
      ),
    );
  memory
    .command('runs')
    .description('list the latest upkeep runs')
    .option('--limit <n>', 'maximum number of runs', '20')
    .action((query: { limit: string }) =>
      printList(
        connection(),
        (client) => client.upkeep.list({ ...query }),
        ['run', 'started', 'ended', 'copied', 'undo until'],
        ({ id, startedAt, report, dryRun, undoneAt, undoUntil }) => [
          ...[id, startedAt, report ? endedIn(report) : 'failed', report?.copied ?? ''],
          dryRun ? 'dry run' : undoneAt ? 'undone' : (undoUntil ?? ''),
        ],
        'No runs yet. Preview one with: guildbook memory upkeep --dry-run',
      ),
    );
  memory
    .command('show <run>')
    .description('show what a run changed')
    .option('--all', 'print every lesson of the run', false)
    .action((given: string, { all }: { all: boolean }) =>
      answer(
        connection(),
        async (client) => client.upkeep.show(await upkeepRunId(client, given)),
        (run) => printRun(run, all),
      ),
    );
  memory
    .command('undo <run>')
    .description('restore the lessons that a run ended, and pin them')
    .action((given: string) =>
      answer(
        connection(),
        async (client) => client.upkeep.undo(await upkeepRunId(client, given)),
        ({ restored, run }) => print(`Restored and pinned ${formatCount(restored, 'lesson')} of the run ${run.id}.`),
      ),
    );
}

interface TombstoneOptions {
  readonly agent?: string;
  readonly scope?: string;
  readonly limit: string;
}

function tombstones(
  connection: ConnectionOptions,
  id: string | undefined,
  { agent, ...query }: TombstoneOptions,
): Promise<void> {
  if (id !== undefined) return answer(connection, (client) => client.tombstones.show(id), printTombstone);
  return answer(
    connection,
    async (client) => {
      const named = agent === undefined ? {} : { agent: await agentId(client, agent) };
      const { items, total } = await client.tombstones.list({ ...query, ...named });
      return { items, total };
    },
    ({ items, total }) => {
      if (items.length === 0) return print('No memory has ended yet.');
      for (const tombstone of items) printTombstone(tombstone);
      print(`\n${items.length} of ${total} that have ended`);
    },
  );
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
  const rows = report.endings.map((one) => [one.id, one.agent, one.why]);
  const shown = all ? rows : rows.slice(0, ROWS);
  if (rows.length > 0) print(`\n${table(['lesson', 'agent', 'reason'], shown)}`);
  const more = endedIn(report) - shown.length;
  if (more > 0)
    print(all ? `… and ${more} more that the run does not list.` : `… and ${more} more: --all prints them.`);
  if (undoUntil) print(`\nTo undo this run before ${undoUntil}: guildbook memory undo ${id}`);
}

/** Subcommands of `guildbook memory` about the evidence for and against private memories. */
function promotionCommands(memory: Command, connection: () => ConnectionOptions): void {
  memory
    .command('promotions')
    .description('list private memories that wait for corroboration, with the reason')
    .addOption(
      new Option('--state <state>', 'only memories in this state; waiting: those that would help if verified').choices(
        PromotionListState.options,
      ),
    )
    .option('--limit <n>', 'maximum number of memories', '50')
    .action((query: { state?: string; limit: string }) =>
      answer(
        connection(),
        (client) => client.promotions.list({ ...query }),
        query.state === 'waiting' ? printWaiting : printQueue,
      ),
    );
  memory
    .command('promotion <lesson>')
    .description('show the evidence for and against a memory, and its sources')
    .action((lesson: string) =>
      answer(connection(), async (client) => client.promotions.show(await lessonId(client, lesson)), show),
    );
  memory
    .command('check <lesson>')
    .description('look for corroboration of a memory now')
    .action((lesson: string) =>
      answer(connection(), async (client) => client.promotions.check(await lessonId(client, lesson)), show),
    );
  memory
    .command('verify <lesson>')
    .description('set the provenance of a memory as a reviewer')
    .addArgument(new Argument('<provenance>').choices(VerifyLesson.shape.provenance.options))
    .requiredOption('--reason <text>', 'reason, for the journal')
    .action((given: string, provenance: VerifyLesson['provenance'], { reason }: { reason: string }) =>
      answer(
        connection(),
        async (client) => client.lesson.verify(await lessonId(client, given), { provenance, reason }),
        ({ provenance: set, lesson }) => print(oneLine(`${set}: ${lesson.discovery}`)),
      ),
    );
}

function printQueue({ counts, items }: PromotionList): void {
  const { queued = 0, unresolved = 0, verified = 0 } = counts;
  print(`${queued} queued, ${unresolved} unresolved, ${verified} verified`);
  if (items.length === 0) return;
  const rows = items.map((one) => [one.memory, one.state, one.because, one.checkedAt ?? '', one.discovery]);
  print(table(['lesson', 'state', 'reason', 'checked', 'discovery'], rows));
}

/** What a person's word would let answer, and the command that gives it. */
function printWaiting({ items, counts, next }: PromotionList): void {
  const [first] = items;
  if (first === undefined) {
    print(
      'No lesson waits for you: none is about a failure that came back, unverified and without a skill or a proposal.',
    );
    return;
  }
  const rows = items.map((one) => [one.memory, one.witnessCount - 1, one.because, one.discovery]);
  print(table(['lesson', 'came back', 'evidence', 'what it says'], rows));
  if (next !== null) print(`… ${counts.waiting ?? items.length} in all: --limit shows more.`);
  const id = oneLine(first.memory.slice(0, 8));
  print(`\nRead one: guildbook lessons show ${id}\nVerify it: guildbook memory verify ${id} verified --reason "…"`);
}

function show({ discovery, provenance, state, because, dueAt, evidence, restsOn }: Promotion): void {
  print(oneLine(discovery));
  print(oneLine(`${provenance}; ${state}: ${because}; next check ${dueAt}`));
  const evidenceRows = evidence.map((one) => [one.at, one.kind, one.stance, one.source, one.reason]);
  if (evidenceRows.length > 0) print(`\n${table(['time', 'evidence', 'verdict', 'source', 'reason'], evidenceRows)}`);
  const derivationRows = restsOn.map((one) => [one.memory, one.provenance ?? 'gone', one.ended ? 'ended' : 'live']);
  if (derivationRows.length > 0) print(`\n${table(['source memory', 'provenance', 'state'], derivationRows)}`);
}
