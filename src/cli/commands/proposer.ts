import type { Command } from 'commander';
import type { ProposerUsage } from '../../propose/spending/proposer-usage.schema.js';
import { answer, type ConnectionOptions } from '../server/session.js';
import { formatCount, oneLine, print, table } from '../terminal/terminal.js';

export function proposerCommands(program: Command): void {
  program
    .command('proposer')
    .description('show the work and the cost of the model that writes lessons')
    .command('usage')
    .description('show state, budgets and usage by day, purpose, outcome, lesson and skill')
    .option('--days <n>', 'number of days to include', '30')
    .action(({ days }: { days: string }) =>
      answer(program.opts<ConnectionOptions>(), (client) => client.proposer.usage({ days }), printUsage),
    );
}

function printUsage(usage: ProposerUsage): void {
  const why = usage.reason === null ? '' : ` (${usage.reason}${usage.until ? ` until ${usage.until}` : ''})`;
  print(oneLine(`${usage.proposer}: ${usage.state.replace('_', ' ')}${why}`));
  if (usage.model !== null && !usage.price.known)
    print(
      `This model has no list price. Assumed per million tokens: $${usage.price.inputUsd} input, $${usage.price.outputUsd} output.`,
    );
  print(
    table(['budget', 'tokens used', 'token limit', 'cost', 'cost limit (USD)', 'resets'], usage.budgets.map(budgetRow)),
  );
  const { payloads, awaitingProposer } = usage.waiting;
  print(
    `\n${formatCount(payloads, 'execution')} pending; ${formatCount(awaitingProposer, 'lesson')} written by rules, pending for the model.`,
  );
  if (usage.batches.length > 0)
    print(
      `\n${table(
        ['batch', 'about', 'state', 'questions', 'since', 'note'],
        usage.batches.map((b) => [
          ...[b.id.slice(0, 8), b.purpose === 'family' ? 'families' : 'executions', b.state, b.payloads, b.createdAt],
          b.note ?? '',
        ]),
      )}`,
    );
  const { recall } = usage;
  if (recall.model !== null || recall.days.length > 0)
    print(
      oneLine(
        `Recall model ${recall.model ?? '(no longer configured)'}: at most ${formatCount(recall.dayCalls, 'call')} a day. ` +
          `Calls: ${recall.days.map(({ day, calls }) => `${calls} on ${day}`).join(', ') || 'none'}.`,
      ),
    );
  if (usage.total.calls === 0) {
    print(`No calls since ${usage.since.slice(0, 10)}.`);
    return;
  }
  printUsageBy('day', usage.days, ({ day }) => day);
  printUsageBy('purpose', usage.purposes, ({ purpose }) => purpose);
  printUsageBy('outcome', usage.outcomes, ({ outcome }) => outcome);
  printUsageBy('lesson', usage.lessons.slice(0, 10), ({ id, agent }) => `${id.slice(0, 8)} of ${agent}`);
  printUsageBy('skill', usage.skills, ({ name, version }) => `${name} v${version}`);
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
        name(row),
        row.calls,
        row.inputTokens + row.cacheWriteTokens,
        row.cacheReadTokens,
        row.outputTokens,
        dollars(row.usd),
      ]),
    ),
  );
}
