import { type Command, Option } from 'commander';
import type { WriterList, WriterRecord } from '../../approvals/queue/writer-record.schema.js';
import { REJECTION_SENTENCES } from '../../approvals/texts/rejection-reason.schema.js';
import { Verdict } from '../../evidence/predicate/check.schema.js';
import type { CandidateList, CandidateRow, FamilyDetails, FamilyList } from '../../evolve/cycle/candidates.schema.js';
import { present } from '../../platform/base/optional.js';
import { percentText } from '../../platform/base/percent.js';
import { clip } from '../../untrusted/text/clip.js';
import { familyFingerprint } from '../server/names.js';
import { answer, type ConnectionOptions } from '../server/session.js';
import { dropText, familyText, pairText } from '../terminal/candidate-text.js';
import { dossierLines } from '../terminal/proposal-text.js';
import { formatCount, oneLine, print, printRows, table } from '../terminal/terminal.js';

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
    reasons.map(({ reason, n }) => `${n} × ${reasonText(reason)}`).join(', '),
  ];
};

const reasonText = (reason: WriterRecord['reasons'][number]['reason']): string =>
  reason === 'other' ? 'another reason' : (REJECTION_SENTENCES[reason] ?? reason);
