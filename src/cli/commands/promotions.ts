import { Argument, type Command, Option } from 'commander';
import { VerifyLesson } from '../../memory/store/memory.schema.js';
import { type Promotion, type PromotionList, PromotionState } from '../../promote/promotion.schema.js';
import { lessonId } from '../server/names.js';
import { answer, type ConnectionOptions } from '../server/session.js';
import { oneLine, print, table } from '../terminal/terminal.js';

/** Subcommands of `guildbook memory` about the evidence for and against private memories. */
export function promotionCommands(memory: Command, connection: () => ConnectionOptions): void {
  memory
    .command('promotions')
    .description('list private memories that wait for corroboration, with the reason')
    .addOption(new Option('--state <state>', 'only memories in this state').choices(PromotionState.options))
    .option('--limit <n>', 'maximum number of memories', '50')
    .action((query: { state?: string; limit: string }) =>
      answer(connection(), (client) => client.promotions.list({ ...query }), printQueue),
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

function show({ discovery, provenance, state, because, dueAt, evidence, restsOn }: Promotion): void {
  print(oneLine(discovery));
  print(oneLine(`${provenance}; ${state}: ${because}; next check ${dueAt}`));
  const evidenceRows = evidence.map((one) => [one.at, one.kind, one.stance, one.source, one.reason]);
  if (evidenceRows.length > 0) print(`\n${table(['time', 'evidence', 'verdict', 'source', 'reason'], evidenceRows)}`);
  const derivationRows = restsOn.map((one) => [one.memory, one.provenance ?? 'gone', one.ended ? 'ended' : 'live']);
  if (derivationRows.length > 0) print(`\n${table(['source memory', 'provenance', 'state'], derivationRows)}`);
}
