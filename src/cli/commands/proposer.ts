import type { Command } from 'commander';
import type { ProposerUsage } from '../../propose/spending/proposer-usage.schema.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { oneLine, print, printJson, table } from '../terminal/terminal.js';

export function proposerCommands(program: Command): void {
  program
    .command('proposer')
    .description('what the model that writes lessons does and costs')
    .command('usage')
    .description('its state and budgets, and what it used: by day, outcome, lesson and skill')
    .option('--days <n>', 'how far back', '30')
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
      `No list price of this model: counted at $${proposerUsage.price.inputUsd} and $${proposerUsage.price.outputUsd} a million.`,
    );
  print(table(['budget', 'tokens', 'of', 'dollars', 'of', 'resets'], proposerUsage.budgets.map(budgetRow)));
  const { payloads, awaitingProposer } = proposerUsage.waiting;
  print(`\n${payloads} executions wait; ${awaitingProposer} lessons of the rules await the model.`);
  if (proposerUsage.batches.length > 0)
    print(
      `\n${table(
        ['batch', 'state', 'executions', 'since', 'note'],
        proposerUsage.batches.map((b) => [b.id.slice(0, 8), b.state, b.payloads, b.createdAt, oneLine(b.note ?? '')]),
      )}`,
    );
  const { recall } = proposerUsage;
  if (recall.model !== null || recall.days.length > 0)
    print(
      oneLine(
        `The model of recalls (${recall.model ?? 'none any more'}) may be asked ${recall.dayCalls} times a day: ` +
          `${recall.days.map(({ day, calls }) => `${calls} on ${day}`).join(', ') || 'it was not'}.`,
      ),
    );
  if (proposerUsage.total.calls === 0) return print(`No calls since ${proposerUsage.since.slice(0, 10)}.`);
  printUsageBy('day', proposerUsage.days, ({ day }) => day);
  printUsageBy('made for', proposerUsage.purposes, ({ purpose }) => purpose);
  printUsageBy('came of it', proposerUsage.outcomes, ({ outcome }) => outcome);
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
