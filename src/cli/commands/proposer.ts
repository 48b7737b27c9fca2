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
  const shown = await (await connect(connection)).proposer.usage({ days });
  if (connection.json) return printJson(shown);
  const why = shown.reason === null ? '' : ` (${shown.reason}${shown.until ? ` until ${shown.until}` : ''})`;
  print(oneLine(`${shown.proposer}: ${shown.state.replace('_', ' ')}${why}`));
  if (shown.model !== null && !shown.price.known)
    print(`No list price of this model: counted at $${shown.price.inputUsd} and $${shown.price.outputUsd} a million.`);
  print(table(['budget', 'tokens', 'of', 'dollars', 'of', 'resets'], shown.budgets.map(budgetRow)));
  const { payloads, awaitingProposer } = shown.waiting;
  print(`\n${payloads} executions wait; ${awaitingProposer} lessons of the rules await the model.`);
  if (shown.batches.length > 0)
    print(
      `\n${table(
        ['batch', 'state', 'executions', 'since', 'note'],
        shown.batches.map((b) => [b.id.slice(0, 8), b.state, b.payloads, b.createdAt, oneLine(b.note ?? '')]),
      )}`,
    );
  const { recall } = shown;
  if (recall.model !== null || recall.days.length > 0)
    print(
      oneLine(
        `The model of recalls (${recall.model ?? 'none any more'}) may be asked ${recall.dayCalls} times a day: ` +
          `${recall.days.map(({ day, calls }) => `${calls} on ${day}`).join(', ') || 'it was not'}.`,
      ),
    );
  if (shown.total.calls === 0) return print(`No calls since ${shown.since.slice(0, 10)}.`);
  amounts('day', shown.days, ({ day }) => day);
  amounts('made for', shown.purposes, ({ purpose }) => purpose);
  amounts('came of it', shown.outcomes, ({ outcome }) => outcome);
  amounts('lesson', shown.lessons.slice(0, 10), ({ id, agent }) => `${id.slice(0, 8)} of ${agent}`);
  amounts('skill', shown.skills, ({ name, version }) => `${name} v${version}`);
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

function amounts<A extends ProposerUsage['total']>(what: string, rows: readonly A[], name: (row: A) => string): void {
  if (rows.length === 0) return;
  print();
  print(
    table(
      [what, 'calls', 'input', 'cached', 'output', 'cost'],
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
