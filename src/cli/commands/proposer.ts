import type { Command } from 'commander';
import type { ProposerUsage } from '../../propose/spending/proposer-usage.schema.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { formatCount, oneLine, print, printJson, table } from '../terminal/terminal.js';

export function proposerCommands(program: Command): void {
  program
    .command('proposer')
    .description('show the work and the cost of the model that writes lessons')
    .command('usage')
    .description('show state, budgets and usage by day, purpose, outcome, lesson and skill')
    .option('--days <n>', 'number of days to include', '30')
    .action((options: { days: string }) => usage(program.opts<ConnectionOptions>(), options.days));
}

async function usage(connection: ConnectionOptions, days: string): Promise<void> {
  const proposerUsage = await (await connect(connection)).proposer.usage({ days });
  if (connection.json) return printJson(proposerUsage);
  const why =
    proposerUsage.reason === null
      ? ''
      : ` (${proposerUsage.reason}${proposerUsage.until ? ` until ${proposerUsage.until}` : ''})`;
  print(oneLine(`${proposerUsage.proposer}: ${proposerUsage.state.replace('_', ' ')}${why}`));
  if (proposerUsage.model !== null && !proposerUsage.price.known)
    print(
      `This model has no list price. Assumed per million tokens: $${proposerUsage.price.inputUsd} input, $${proposerUsage.price.outputUsd} output.`,
    );
  print(
    table(
      ['budget', 'tokens used', 'token limit', 'cost', 'cost limit (USD)', 'resets'],
      proposerUsage.budgets.map(budgetRow),
    ),
  );
  const { payloads, awaitingProposer } = proposerUsage.waiting;
  print(
    `\n${formatCount(payloads, 'execution')} pending; ${formatCount(awaitingProposer, 'lesson')} written by rules, pending for the model.`,
  );
  if (proposerUsage.batches.length > 0)
    print(
      `\n${table(
        ['batch', 'about', 'state', 'questions', 'since', 'note'],
        proposerUsage.batches.map((b) => [
          ...[b.id.slice(0, 8), b.purpose === 'family' ? 'families' : 'executions', b.state, b.payloads, b.createdAt],
          oneLine(b.note ?? ''),
        ]),
      )}`,
    );
  const { recall } = proposerUsage;
  if (recall.model !== null || recall.days.length > 0)
    print(
      oneLine(
        `Recall model ${recall.model ?? '(no longer configured)'}: at most ${formatCount(recall.dayCalls, 'call')} a day. ` +
          `Calls: ${recall.days.map(({ day, calls }) => `${calls} on ${day}`).join(', ') || 'none'}.`,
      ),
    );
  if (proposerUsage.total.calls === 0) return print(`No calls since ${proposerUsage.since.slice(0, 10)}.`);
  printUsageBy('day', proposerUsage.days, ({ day }) => day);
  printUsageBy('purpose', proposerUsage.purposes, ({ purpose }) => purpose);
  printUsageBy('outcome', proposerUsage.outcomes, ({ outcome }) => outcome);
  printUsageBy('lesson', proposerUsage.lessons.slice(0, 10), ({ id, agent }) => `${id.slice(0, 8)} of ${agent}`);
  printUsageBy('skill', proposerUsage.skills, ({ name, version }) => `${name} v${version}`);
}

const dollars = (usd: number): string => `$${usd.toFixed(6)}`;

const budgetRow = ({ span, tokens, usd, resets }: ProposerUsage['budgets'][number]) => [
  span,
  tokens.used,
  tokens.limit,
  dollars(usd.used),
  usd.limit,
  resets,
];

function printUsageBy<A extends ProposerUsage['total']>(
  heading: string,
  rows: readonly A[],
  name: (row: A) => string,
): void {
  if (rows.length === 0) return;
  print();
  print(
    table(
      [heading, 'calls', 'input', 'cached', 'output', 'cost'],
      rows.map((row) => [
        oneLine(name(row)),
        row.calls,
        row.inputTokens + row.cacheWriteTokens,
        row.cacheReadTokens,
        row.outputTokens,
        dollars(row.usd),
      ]),
    ),
  );
}
