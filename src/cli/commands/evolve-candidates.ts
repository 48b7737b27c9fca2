import { type Command, Option } from 'commander';
import type { WriterRecord } from '../../approvals/queue/writer-record.schema.js';
import { REJECTION_SENTENCES } from '../../approvals/texts/rejection-reason.schema.js';
import { Verdict } from '../../evidence/predicate/check.schema.js';
import type { CandidateRow, FamilyDetails, FamilyRow } from '../../evolve/cycle/candidates.schema.js';
import { percentText } from '../../platform/base/percent.js';
import { clip } from '../../untrusted/text/clip.js';
import { familyFingerprint } from '../server/names.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { dropText, familyText, pairText } from '../terminal/candidate-text.js';
import { dossierLines } from '../terminal/dossier-text.js';
import { formatCount, oneLine, print, printJson, printRows, table } from '../terminal/terminal.js';

/** Characters of the actions of a family in a table. */
const LONGEST_ACTIONS = 60;

interface PageOptions {
  readonly verdict?: CandidateRow['verdict'];
  readonly limit: string;
  readonly after?: string;
}

/** Adds the commands that show what the newest cycle examined, and what reviewers say on each writer. */
export function examinationCommands(evolve: Command, connection: () => ConnectionOptions): void {
  evolve
    .command('candidates')
    .description('list the candidates of the newest cycle with their verdicts, those not proposed first')
    .addOption(new Option('--verdict <verdict>', 'only candidates with this verdict').choices(Verdict.options))
    .option('--limit <n>', 'maximum number of candidates', '20')
    .option('--after <candidate>', 'continue after this candidate (whole id)')
    .action((options: PageOptions) => candidates(connection(), options));
  evolve
    .command('families [family]')
    .description(
      'list the families of failures of the newest cycle, or show one with its dossier, candidates and proposals',
    )
    .option('--limit <n>', 'maximum number of families', '20')
    .option('--after <family>', 'continue after this family (whole fingerprint)')
    .action((given: string | undefined, options: PageOptions) =>
      given === undefined ? families(connection(), options) : family(connection(), given),
    );
  evolve
    .command('writers')
    .description('show how often reviewers approve, edit and reject what the rules, a model and others wrote')
    .option('--days <n>', 'proposals submitted in the last days', '90')
    .action((options: { readonly days: string }) => writers(connection(), options));
}

async function candidates(options: ConnectionOptions, { verdict, limit, after }: PageOptions): Promise<void> {
  const client = await connect(options);
  const page = await client.evolver.candidates({
    // The server refuses other limits.
    ...(verdict === undefined ? {} : { verdict }),
    limit: Number(limit),
    ...(after === undefined ? {} : { after }),
  });
  if (options.json) return printJson(page);
  if (page.cycle === null) return print('No cycle has been completed yet.');
  print(`${formatCount(page.total, 'candidate')} of the cycle ${page.cycle.id}`);
  for (const row of page.items) printCandidate(row);
  if (page.next !== null) print(`\nMore: --after ${page.next}`);
}

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

async function families(options: ConnectionOptions, { limit, after }: PageOptions): Promise<void> {
  const client = await connect(options);
  const page = await client.evolver.families({ limit: Number(limit), ...(after === undefined ? {} : { after }) });
  if (options.json) return printJson(page);
  if (page.cycle === null) return print('No cycle has been completed yet.');
  print(`${formatCount(page.total, 'family', 'families')} of the cycle ${page.cycle.id}`);
  printFamilies(page.items);
  if (page.next !== null) print(`\nMore: --after ${page.next}`);
}

function printFamilies(rows: readonly FamilyRow[]): void {
  printRows(
    '',
    ['signature', 'actions', 'agents', 'executions', 'failures', 'fingerprint'],
    rows.map((row) => [
      ...[familyText(row), clip(row.actions.join(', '), LONGEST_ACTIONS)],
      ...[row.agents, row.executions, row.failures, row.fingerprint],
    ]),
    rows.length,
  );
}

async function family(options: ConnectionOptions, given: string): Promise<void> {
  const client = await connect(options);
  const details: FamilyDetails = await client.evolver.family(await familyFingerprint(client, given));
  if (options.json) return printJson(details);
  for (const line of dossierLines(details.dossier)) print(line);
  for (const row of details.candidates) printCandidate(row);
  if (details.proposals.length > 0) print('\nProposals:');
  for (const { id, title, state, writer, reason } of details.proposals)
    print(`  ${oneLine(`${state}: ${title} (by ${writer}, ${id})${reason === null ? '' : `: ${reason}`}`)}`);
}

async function writers(options: ConnectionOptions, { days }: { readonly days: string }): Promise<void> {
  // The server refuses other numbers of days.
  const list = await (await connect(options)).evolver.writers({ days: Number(days) });
  if (options.json) return printJson(list);
  const window = `from ${list.window.from.slice(0, 10)} to ${list.window.to.slice(0, 10)}`;
  if (list.items.length === 0) return print(`No proposal was submitted ${window}.`);
  print(`Proposals ${window}; shares of what was approved or rejected:`);
  const head = ['writer', 'submitted', 'pending', 'approved', 'edited', 'rejected', 'ended', 'why rejected'];
  print(table(head, list.items.map(rowOf)));
}

const rowOf = ({ writer, submitted, pending, approved, edited, rejected, ended, shares, reasons }: WriterRecord) => {
  const share = (n: number, of: number | undefined): string =>
    of === undefined ? `${n}` : `${n} (${percentText(of)})`;
  return [
    ...[writer, submitted, pending, share(approved, shares?.approved), share(edited, shares?.edited)],
    ...[share(rejected, shares?.rejected), ended],
    reasons.map(({ reason, n }) => `${n} × ${reasonText(reason)}`).join(', '),
  ];
};

const reasonText = (reason: WriterRecord['reasons'][number]['reason']): string =>
  reason === 'other' ? 'another reason' : (REJECTION_SENTENCES[reason] ?? reason);
