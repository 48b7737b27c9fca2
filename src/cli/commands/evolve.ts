import type { Command } from 'commander';
import type { Cycle, CycleReport } from '../../evolve/cycle/cycles.schema.js';
import { percentText } from '../../platform/base/percent.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { formatCount, oneLine, Progress, print, printJson, table } from '../terminal/terminal.js';

export function evolveCommand(program: Command): void {
  program
    .command('evolve')
    .description('run a cycle: find patterns across agents and submit proposals to the approval queue')
    .option('--dry-run', 'show the proposals of a cycle without writing anything', false)
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

/** Prints the numbers of each step of the cycle, then its proposals and the unsolved problems. */
export function printCycle({ report, dryRun }: Cycle): void {
  if (!report) {
    print('This cycle has no report.');
    return;
  }
  print(
    `${formatCount(report.executionsRead, 'execution')} → ${formatCount(report.patterns, 'pattern')} → ` +
      `${report.kept} seen by enough agents → ${formatCount(report.proposals.length, 'proposal')}${dryRun ? ' (dry run)' : ''}`,
  );
  const reasons: [string, number][] = [
    ['seen by too few agents', report.belowThreshold],
    ['not solved by any agent', report.unsolved.length],
    ['only overcome by skipping a check', report.onlySkipped.length],
    ['with too little confidence', report.lowConfidence],
    ['rejected before, without new evidence', report.rememberedRejections],
    ['over the limit for one cycle', report.heldBack],
  ];
  const leftOut = reasons.filter(([, count]) => count > 0);
  if (leftOut.length > 0) print(`Left out: ${leftOut.map(([reason, count]) => `${count} ${reason}`).join('; ')}.`);
  const excused = Object.entries(report.excludedFailures);
  if (excused.length > 0) print(`Excluded failures: ${excused.map(([cause, n]) => `${n} ${cause}`).join(', ')}.`);
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
          percentText(p.confidence),
          p.outcome,
        ]),
      ),
    );
  }
  printWording(report);
  const { overcome, open, unsolved } = report.tasks;
  if (overcome + open + unsolved > 0)
    print(
      `\nChecks that several agents failed: ${overcome} passed by enough other agents, ${open} by a few, ${unsolved} by none.`,
    );
  if (report.unsolved.length > 0) {
    print('\nUnsolved problems (not proposed as skills):');
    print(
      table(
        ['action', 'error', 'agents', 'failures'],
        report.unsolved.slice(0, 10).map((u) => [u.action, u.errorClass, u.agents, u.failures]),
      ),
    );
  }
}

/** Prints nothing if no model was asked for the wording. */
function printWording({ wording, tokens, usd }: CycleReport): void {
  const { byModel, kept, byRules, reasons } = wording;
  const why = Object.entries(reasons).map(([reason, n]) => oneLine(`${n} ${reason.replaceAll('_', ' ')}`));
  if (byModel + kept + why.length === 0) return;
  print(
    `\nWording: ${byModel} by the model, ${kept} reused from the model, ${byRules} by rules` +
      `${why.length > 0 ? ` (${why.join(', ')})` : ''}. ${tokens} tokens, $${usd.toFixed(6)}.`,
  );
}
