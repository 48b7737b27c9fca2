import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Promotion } from '../../promote/promotion.schema.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { oneLine, print, printJson, table } from '../terminal/terminal.js';

/** Below `guildbook memory`: who speaks for what agents remember. */
export function promotionCommands(memory: Command, connection: () => ConnectionOptions): void {
  memory
    .command('promotions')
    .description('private memories that wait for corroboration, and why')
    .option('--state <state>', 'queued, unresolved or verified')
    .option('--limit <n>', 'how many', '50')
    .action((options: { state?: string; limit: string }) => list(connection(), options));
  memory
    .command('promotion <lesson>')
    .description('what speaks for a memory and against it, and what it rests on')
    .action(async (lesson: string) => show(connection(), await (await connect(connection())).promotions.show(lesson)));
  memory
    .command('check <lesson>')
    .description('look for corroboration of a memory now')
    .action(async (lesson: string) => show(connection(), await (await connect(connection())).promotions.check(lesson)));
  memory
    .command('judge <lesson> <provenance>')
    .description('say as a reviewer that a memory is verified, or unverified')
    .requiredOption('--reason <text>', 'why')
    .action((lesson: string, provenance: string, options: { reason: string }) =>
      verify(connection(), lesson, provenance, options.reason),
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
  print(table(['lesson', 'state', 'because', 'checked', 'discovery'], rows));
}

function show(connection: ConnectionOptions, promotion: Promotion): void {
  if (connection.json) {
    printJson(promotion);
    return;
  }
  const { discovery, provenance, state, because, dueAt, evidence, restsOn } = promotion;
  print(oneLine(discovery));
  print(oneLine(`${provenance}; ${state}: ${because}; looked at again at ${dueAt}`));
  const evidenceRows = evidence.map((one) => [one.at, one.kind, one.stance, one.source, one.reason].map(oneLine));
  if (evidenceRows.length > 0) print(`\n${table(['at', 'evidence', 'says', 'source', 'reason'], evidenceRows)}`);
  const derivationRows = restsOn.map((one) => [
    oneLine(one.memory),
    oneLine(one.provenance ?? 'gone'),
    one.ended ? 'ended' : 'live',
  ]);
  if (derivationRows.length > 0) print(`\n${table(['rests on', 'provenance', ''], derivationRows)}`);
}

async function verify(connection: ConnectionOptions, id: string, provenance: string, reason: string): Promise<void> {
  if (provenance !== 'verified' && provenance !== 'unverified')
    throw new InvalidArgumentError('must be verified or unverified');
  const lesson = await (await connect(connection)).lesson.judge(id, { provenance, reason });
  if (connection.json) return printJson(lesson);
  print(oneLine(`${lesson.provenance}: ${lesson.lesson.discovery}`));
}
