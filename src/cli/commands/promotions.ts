import { Argument, type Command, Option } from 'commander';
import { VerifyLesson } from '../../memory/store/memory.schema.js';
import { type Promotion, PromotionState } from '../../promote/promotion.schema.js';
import { lessonId } from '../server/names.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { oneLine, print, printJson, table } from '../terminal/terminal.js';

/** Subcommands of `guildbook memory` about the evidence for and against private memories. */
export function promotionCommands(memory: Command, connection: () => ConnectionOptions): void {
  memory
    .command('promotions')
    .description('list private memories that wait for corroboration, with the reason')
    .addOption(new Option('--state <state>', 'only memories in this state').choices(PromotionState.options))
    .option('--limit <n>', 'maximum number of memories', '50')
    .action((options: { state?: string; limit: string }) => list(connection(), options));
  memory
    .command('promotion <lesson>')
    .description('show the evidence for and against a memory, and its sources')
    .action(async (lesson: string) => {
      const client = await connect(connection());
      show(connection(), await client.promotions.show(await lessonId(client, lesson)));
    });
  memory
    .command('check <lesson>')
    .description('look for corroboration of a memory now')
    .action(async (lesson: string) => {
      const client = await connect(connection());
      show(connection(), await client.promotions.check(await lessonId(client, lesson)));
    });
  memory
    .command('verify <lesson>')
    .description('set the provenance of a memory as a reviewer')
    .addArgument(new Argument('<provenance>').choices(VerifyLesson.shape.provenance.options))
    .requiredOption('--reason <text>', 'reason, for the journal')
    .action((lesson: string, provenance: VerifyLesson['provenance'], options: { reason: string }) =>
      verify(connection(), lesson, { provenance, reason: options.reason }),
    );
}

async function list(connection: ConnectionOptions, query: { state?: string; limit: string }): Promise<void> {
  const answer = await (await connect(connection)).promotions.list({ ...query });
  if (connection.json) return printJson(answer);
  const { queued = 0, unresolved = 0, verified = 0 } = answer.counts;
  print(`${queued} queued, ${unresolved} unresolved, ${verified} verified`);
  if (answer.items.length === 0) return;
  const rows = answer.items.map((one) =>
    [one.memory, one.state, one.because, one.checkedAt ?? '', one.discovery].map(oneLine),
  );
  print(table(['lesson', 'state', 'reason', 'checked', 'discovery'], rows));
}

function show(connection: ConnectionOptions, promotion: Promotion): void {
  if (connection.json) {
    printJson(promotion);
    return;
  }
  const { discovery, provenance, state, because, dueAt, evidence, restsOn } = promotion;
  print(oneLine(discovery));
  print(oneLine(`${provenance}; ${state}: ${because}; next check ${dueAt}`));
  const evidenceRows = evidence.map((one) => [one.at, one.kind, one.stance, one.source, one.reason].map(oneLine));
  if (evidenceRows.length > 0) print(`\n${table(['time', 'evidence', 'verdict', 'source', 'reason'], evidenceRows)}`);
  const derivationRows = restsOn.map((one) => [
    oneLine(one.memory),
    oneLine(one.provenance ?? 'gone'),
    one.ended ? 'ended' : 'live',
  ]);
  if (derivationRows.length > 0) print(`\n${table(['source memory', 'provenance', 'state'], derivationRows)}`);
}

async function verify(connection: ConnectionOptions, given: string, verification: VerifyLesson): Promise<void> {
  const client = await connect(connection);
  const lesson = await client.lesson.verify(await lessonId(client, given), verification);
  if (connection.json) return printJson(lesson);
  print(oneLine(`${lesson.provenance}: ${lesson.lesson.discovery}`));
}
