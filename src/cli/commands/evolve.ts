import type { Command } from 'commander';
import type { Cycle, CycleReport } from '../../evolve/cycle/cycles.schema.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { oneLine, Progress, print, printJson, table } from '../terminal/terminal.js';

export function evolveCommand(program: Command): void {
  program
    .command('evolve')
    .description('run a cycle: patterns across agents become proposals for the approval queue')
    .option('--dry-run', 'say what would be proposed, and write nothing', false)
    .action((options: { dryRun: boolean }) => evolve(program.opts<ConnectionOptions>(), options.dryRun));
}

async function evolve(options: ConnectionOptions, dryRun: boolean): Promise<void> {
  const client = await connect(options);
  const progress = new Progress('cycle');
  progress.update('reading executions');
  const cycle = await client.evolver.run(dryRun);
  progress.done(cycle.state);
  if (options.json) return printJson(cycle);
  printCycle(cycle);
}

/** The cycle as a funnel, then what it proposes and what nobody has solved. */
export function printCycle({ report, dryRun }: Cycle): void {
  if (!report) {
    print('The cycle left no report.');
    return;
  }
  print(
    `${report.executionsRead} executions → ${report.patterns} patterns → ${report.kept} seen by enough agents → ` +
      `${report.proposals.length} ${dryRun ? 'would be proposed' : 'proposals'}`,
  );
  const reasons: [string, number][] = [
    ['seen by too few agents', report.belowThreshold],
    ['unsolved: nobody overcame it', report.unsolved.length],
    ['confidence too low', report.lowConfidence],
    ['rejected before, nothing new', report.rememberedRejections],
    ['held back by the cap', report.heldBack],
  ];
  const out = reasons.filter(([, count]) => count > 0);
  if (out.length > 0) print(`Left out: ${out.map(([reason, count]) => `${count} ${reason}`).join('; ')}.`);
  const excused = Object.entries(report.excludedFailures);
  if (excused.length > 0)
    print(`Failures that teach nothing: ${excused.map(([cause, n]) => `${n} ${cause}`).join(', ')}.`);
  if (report.proposals.length > 0) {
    print();
    print(
      table(
        ['proposal', 'agents', 'owners', 'failures', 'worked', 'confidence', 'outcome'],
        report.proposals.map((p) => [
          p.title,
          p.agents,
          p.owners,
          p.failures,
          `${p.worked} of ${p.tried}`,
          p.confidence.toFixed(2),
          p.outcome,
        ]),
      ),
    );
  }
  printWording(report);
  const { overcome, open, unsolved } = report.tasks;
  if (overcome + open + unsolved > 0)
    print(
      `\nChecks of single tasks that several agents failed: ${overcome} passed by others, ${open} by few, ${unsolved} by nobody.`,
    );
  if (report.unsolved.length > 0) {
    print('\nUnsolved problems (never proposed as a skill):');
    print(
      table(
        ['action', 'error', 'agents', 'failures'],
        report.unsolved.slice(0, 10).map((u) => [u.action, u.errorClass, u.agents, u.failures]),
      ),
    );
  }
}

/** Nothing where no model was to find words. */
function printWording({ wording, tokens, usd }: CycleReport): void {
  const { byModel, kept, byRules, reasons } = wording;
  const why = Object.entries(reasons).map(([reason, n]) => oneLine(`${n} ${reason.replaceAll('_', ' ')}`));
  if (byModel + kept + why.length === 0) return;
  print(
    `\nWorded by the model: ${byModel}; kept from it: ${kept}; by rules: ${byRules}` +
      `${why.length > 0 ? ` (${why.join(', ')})` : ''}. ${tokens} tokens, $${usd.toFixed(6)}.`,
  );
}
