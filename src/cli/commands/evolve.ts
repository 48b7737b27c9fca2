import { type Command, Option } from 'commander';
import type { WriterList, WriterRecord } from '../../approvals/queue/writer-record.schema.js';
import { REJECTION_SENTENCES } from '../../approvals/texts/rejection-reason.schema.js';
import { cycleToEnd } from '../../client/cycle-to-end.js';
import { Verdict } from '../../evidence/predicate/check.schema.js';
import { VERDICT_TEXTS } from '../../evidence/predicate/check-words.js';
import type {
  CandidateList,
  CandidateRow,
  FamilyDetails,
  FamilyList,
  FamilyRow,
} from '../../evolve/cycle/candidates.schema.js';
import type { Cycle, CycleList, CycleReport } from '../../evolve/cycle/cycles.schema.js';
import { DROP_TEXTS, leftOut, notProposedText } from '../../evolve/cycle/not-proposed.schema.js';
import { enoughSupport } from '../../evolve/support/support.schema.js';
import { present } from '../../platform/base/optional.js';
import { percentText } from '../../platform/base/percent.js';
import { clip } from '../../untrusted/text/clip.js';
import { cycleId, familyFingerprint } from '../server/names.js';
import { answer, type ConnectionOptions, connect } from '../server/session.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { dossierLines, loweredText } from '../terminal/proposal-text.js';
import { formatCount, oneLine, Progress, print, printJson, printRows, table } from '../terminal/terminal.js';

/** Rows of a list without `--all`. */
const ROWS = 20;

export function evolveCommand(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  const evolver = program
    .command('evolve')
    .description('run a cycle: find problems that came back and submit what overcame them as proposals')
    .option('--dry-run', 'show the proposals of a cycle without writing anything', false)
    .option('--all', `print every row of each list, not only the first ${ROWS}`, false)
    .action((options: EvolveOptions) => evolve(connection(), options));
  examinationCommands(evolver, connection);
  evolver
    .command('cycles [cycle]')
    .description('list cycles, newest first, or show the report of one')
    .option('--limit <n>', 'maximum number of cycles', '20')
    .option('--after <cycle>', 'continue after this cycle (whole id)')
    .action((cycle: string | undefined, options: CyclesOptions) =>
      cycle === undefined
        ? answer(connection(), (client) => client.evolver.reports({ ...options }), printCycles)
        : answer(
            connection(),
            async (client) => client.evolver.report(await cycleId(client, cycle)),
            (found) => {
              print(oneLine(`Cycle ${found.id}, started ${found.startedAt}: ${found.error ?? found.state}`));
              printCycle(found);
            },
          ),
    );
}

interface CyclesOptions {
  readonly limit: string;
  readonly after?: string;
}

interface EvolveOptions {
  readonly dryRun: boolean;
  readonly all: boolean;
}

async function evolve(options: ConnectionOptions, { dryRun, all }: EvolveOptions): Promise<void> {
  const client = await connect(options);
  const progress = new Progress('cycle', options);
  const began = performance.now();
  const cycle = await cycleToEnd(client, dryRun, () =>
    progress.update(`running, ${Math.round((performance.now() - began) / 1_000)} s`),
  );
  progress.done(cycle.state);
  if (cycle.state === 'failed') throw failed(cycle);
  if (options.json) return printJson(cycle);
  printCycle(cycle, all ? Number.POSITIVE_INFINITY : ROWS);
  print(`\n${nextAfter(cycle)}`);
}

/** What a person does after a cycle. */
export function nextAfter({ report, dryRun }: Pick<Cycle, 'report' | 'dryRun'>): string {
  if (!report || report.executionsRead === 0)
    return 'No agent has reported yet. Connect one: guildbook connect <product>, or import sessions: guildbook import <folder>';
  if (report.proposals.length > 0)
    return dryRun
      ? 'To propose it: guildbook evolve'
      : 'Read and decide: guildbook proposals list, or guildbook login --browser';
  return 'Nothing new to decide. What waits for more evidence is examined again when the same failure comes back.';
}

const failed = ({ id, error }: Cycle): CliError =>
  new CliError(EXIT.failed, 'evolver.failed', `Cycle ${id} failed: ${error ?? 'the log of the server says why'}`);

function printCycles(page: CycleList): void {
  if (page.items.length === 0) {
    print('No cycle has run yet. Preview one with: guildbook evolve --dry-run');
    return;
  }
  print(
    table(
      ['cycle', 'started', 'state', 'trigger', 'executions', 'proposals'],
      page.items.map(({ id, startedAt, state, trigger, dryRun, report }) => [
        ...[id, startedAt, dryRun ? `${state}, dry run` : state, trigger],
        ...[report?.executionsRead ?? '', report?.proposals.length ?? ''],
      ]),
    ),
  );
  if (page.next !== null) print(`\nMore: --after ${page.next}`);
}

/** Prints the numbers of each step of the cycle, then its proposals and the reasons for the others. */
export function printCycle({ report, dryRun }: Cycle, rows: number = ROWS): void {
  if (!report) {
    print('This cycle has no report.');
    return;
  }
  print(
    `${formatCount(report.executionsRead, 'execution')} → ${formatCount(report.patterns, 'problem')} → ` +
      `${report.kept} ${enoughSupport(report.support)} → ${formatCount(report.proposals.length, 'proposal')}${dryRun ? ' (dry run)' : ''}`,
  );
  const dropped = leftOut(report);
  if (dropped.length > 0) print(`Left out: ${dropped.map(({ n, says }) => `${n} ${says}`).join('; ')}.`);
  printVerdicts(report);
  const excused = Object.entries(report.excludedFailures);
  if (excused.length > 0) print(`Excluded failures: ${excused.map(([cause, n]) => `${n} ${cause}`).join(', ')}.`);
  printRows(
    '',
    ['proposal', 'agents', 'owners', 'failures', 'worked', 'confidence', 'outcome', 'id'],
    report.proposals.map((p) => [
      ...[p.title, p.agents, p.owners, p.failures, `${p.worked} of ${p.tried}`, percentText(p.confidence)],
      [p.outcome, p.reason ?? '', loweredText(p.lowered)].filter((text) => text !== '').join(': '),
      p.proposalId ?? '',
    ]),
    rows,
  );
  printRows(
    'Not proposed:',
    ['reason', 'candidate', 'agents', 'failures', 'worked', 'confidence', 'pending proposal'],
    (report.notProposed ?? []).map((row) => [
      reasonText(row, report.support),
      ...[row.title, row.agents, row.failures, `${row.worked} of ${row.tried}`],
      row.confidence === null ? '' : percentText(row.confidence),
      row.proposalId ?? '',
    ]),
    rows,
  );
  printRows(
    'Candidates not proposed:',
    ['verdict', 'action', 'failure', 'with it', 'without it', 'reason'],
    (report.candidateList ?? [])
      .filter(({ because }) => because !== null)
      .map((row) => [
        ...[row.verdict, row.action, familyText(row.family)],
        ...[`${row.with.worked} of ${row.with.n}`, `${row.without.worked} of ${row.without.n}`, dropText(row)],
      ]),
    rows,
  );
  printWording(report);
  const { overcome, open, unsolved } = report.tasks;
  if (overcome + open + unsolved > 0)
    print(
      `\nChecks that several agents failed: ${overcome} passed by enough other agents, ${open} by a few, ${unsolved} by none.`,
    );
  printRows(
    'Unsolved checks:',
    ['check', 'verdict', 'failed by', 'passed by', 'executions'],
    (report.tasks.problems ?? [])
      .filter(({ verdict }) => verdict !== 'overcome')
      .map(({ origin, check, verdict, failedBy, passedBy, executions }) => [
        ...[check || `task ${origin.slice(0, 16)}`, verdict, failedBy, passedBy, executions],
      ]),
    rows,
  );
}

/** Prints nothing for a cycle that found no problem. */
function printVerdicts({ families, examined, candidates }: CycleReport): void {
  if (!families) return;
  const verdicts = Verdict.options.map((one) => `${candidates[one]} ${VERDICT_TEXTS[one]}`);
  print(`Examined ${examined} of ${formatCount(families, 'problem')}; candidates: ${verdicts.join(', ')}.`);
}

function reasonText(
  { because, reason, lowered }: CycleReport['notProposed'][number],
  support: CycleReport['support'],
): string {
  const said = notProposedText(because, support);
  return [said, clip(reason ?? '', 60), loweredText(lowered)].filter((text) => text !== '').join(': ');
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

/** Characters of the actions of a family in a table. */
const LONGEST_ACTIONS = 60;

interface PageOptions {
  readonly verdict?: CandidateRow['verdict'];
  readonly limit: string;
  readonly after?: string;
}

/** Adds the commands that show what the newest cycle examined, and what reviewers say on each writer. */
function examinationCommands(evolve: Command, connection: () => ConnectionOptions): void {
  evolve
    .command('candidates')
    .description('list the candidates of the newest cycle with their verdicts, those not proposed first')
    .addOption(new Option('--verdict <verdict>', 'only candidates with this verdict').choices(Verdict.options))
    .option('--limit <n>', 'maximum number of candidates', '20')
    .option('--after <candidate>', 'continue after this candidate (whole id)')
    .action((options: PageOptions) =>
      answer(connection(), (client) => client.evolver.candidates(queryOf(options)), printCandidates),
    );
  evolve
    .command('families [family]')
    .description(
      'list the families of failures of the newest cycle, or show one with its dossier, candidates and proposals',
    )
    .option('--limit <n>', 'maximum number of families', '20')
    .option('--after <family>', 'continue after this family (whole fingerprint)')
    .action((given: string | undefined, options: PageOptions) =>
      given === undefined
        ? answer(connection(), (client) => client.evolver.families(queryOf(options)), printFamilies)
        : answer(
            connection(),
            async (client) => client.evolver.family(await familyFingerprint(client, given)),
            printFamily,
          ),
    );
  evolve
    .command('writers')
    .description('show how often reviewers approve, edit and reject what the rules, a model and others wrote')
    .option('--days <n>', 'proposals submitted in the last days', '90')
    .action(({ days }: { readonly days: string }) =>
      // The server refuses other numbers of days.
      answer(connection(), (client) => client.evolver.writers({ days: Number(days) }), printWriters),
    );
}

/** The server refuses other limits. */
const queryOf = ({ limit, ...query }: PageOptions) => ({ ...present(query), limit: Number(limit) });

function printCandidates({ cycle, total, items, next }: CandidateList): void {
  print(cycle === null ? NO_CYCLE : `${formatCount(total, 'candidate')} of the cycle ${cycle.id}`);
  for (const row of items) printCandidate(row);
  if (next !== null) print(`\nMore: --after ${next}`);
}

const NO_CYCLE = 'No cycle has been completed yet.';

function printCandidate(row: CandidateRow): void {
  const { family, verdict, words, binding } = row;
  print(`\n${verdict}: ${oneLine(row.action)} — ${oneLine(familyText(family))}`);
  for (const line of words) print(`  ${oneLine(line)}`);
  print(`  ${pairText(row)}; examined with ${formatCount(row.examined, 'execution')}`);
  print(`  ${dropText(row)}`);
  for (const finding of row.findings) print(`  finding: ${oneLine(finding)}`);
  const where = [binding.harness, binding.project].filter((one) => one !== undefined);
  if (where.length > 0) print(`  seen in: ${oneLine(where.join(', '))}`);
  print(`  family ${family.fingerprint}`);
}

function printFamilies({ cycle, total, items, next }: FamilyList): void {
  print(cycle === null ? NO_CYCLE : `${formatCount(total, 'family', 'families')} of the cycle ${cycle.id}`);
  printRows(
    '',
    ['signature', 'actions', 'agents', 'executions', 'failures', 'fingerprint'],
    items.map((row) => [
      ...[familyText(row), clip(row.actions.join(', '), LONGEST_ACTIONS)],
      ...[row.agents, row.executions, row.failures, row.fingerprint],
    ]),
    items.length,
  );
  if (next !== null) print(`\nMore: --after ${next}`);
}

function printFamily({ dossier, candidates, proposals }: FamilyDetails): void {
  for (const line of dossierLines(dossier)) print(line);
  for (const row of candidates) printCandidate(row);
  if (proposals.length > 0) print('\nProposals:');
  for (const { id, title, state, writer, reason } of proposals)
    print(`  ${oneLine(`${state}: ${title} (by ${writer}, ${id})${reason === null ? '' : `: ${reason}`}`)}`);
}

function printWriters({ window: { from, to }, items }: WriterList): void {
  const window = `from ${from.slice(0, 10)} to ${to.slice(0, 10)}`;
  if (items.length === 0) {
    print(`No proposal was submitted ${window}.`);
    return;
  }
  print(`Proposals ${window}; shares of what was approved or rejected:`);
  const head = ['writer', 'submitted', 'pending', 'approved', 'edited', 'rejected', 'ended', 'why rejected'];
  print(table(head, items.map(rowOf)));
}

const rowOf = ({ writer, submitted, pending, approved, edited, rejected, ended, shares, reasons }: WriterRecord) => {
  const share = (n: number, of: number | undefined): string =>
    of === undefined ? `${n}` : `${n} (${percentText(of)})`;
  return [
    ...[writer, submitted, pending, share(approved, shares?.approved), share(edited, shares?.edited)],
    ...[share(rejected, shares?.rejected), ended],
    reasons.map(({ reason, n }) => `${n} × ${candidateReasonText(reason)}`).join(', '),
  ];
};

const candidateReasonText = (reason: WriterRecord['reasons'][number]['reason']): string =>
  reason === 'other' ? 'another reason' : (REJECTION_SENTENCES[reason] ?? reason);

/** Characters of a signature. */
const SIGNATURE = 60;

/** What the failures of a family say. */
const familyText = ({ signature }: Pick<FamilyRow, 'signature'>): string => clip(signature, SIGNATURE);

/** The pair that a verdict stands on. */
function pairText({ with: followed, without }: Pick<CandidateRow, 'with' | 'without'>): string {
  return `with it ${followed.worked} of ${followed.n} worked, without it ${without.worked} of ${without.n}`;
}

/** Why the candidate was not proposed. A newer server may know reasons that this program does not. */
function dropText({ because }: Pick<CandidateRow, 'because'>): string {
  if (because === null) return 'became a draft';
  return `not proposed: ${DROP_TEXTS[because] ?? because}; examined again when its evidence grows`;
}
