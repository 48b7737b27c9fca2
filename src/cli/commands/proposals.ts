import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import {
  EditProposal,
  MAX_COUNTED,
  type ProposalDetails,
  ProposalKind,
  type ProposalPage,
  type ProposalQuery,
  ProposalState,
  type ProposalSummary,
  ProposalVerdict,
  type Resolve,
  Risk,
} from '../../approvals/proposals/proposals.schema.js';
import type { ExecutionList } from '../../capture/store/executions.schema.js';
import type { Guildbook } from '../../client/guildbook.js';
import { VERDICT_TEXTS } from '../../evidence/predicate/check-words.js';
import { optional } from '../../platform/base/optional.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { percentText } from '../../platform/base/percent.js';
import { allPages, closedProposalId, clusterId, pendingProposalId, proposalId } from '../server/names.js';
import { answer, type ConnectionOptions } from '../server/session.js';
import { CliError, EXIT, invalidArgument } from '../terminal/cli-error.js';
import { givenPath } from '../terminal/command-process.js';
import { printProposal } from '../terminal/proposal-text.js';
import { formatCount, oneLine, print, printTable, table, verdictStyle } from '../terminal/terminal.js';

interface EditOptions {
  readonly file?: string;
  readonly gate?: boolean;
}

const EditedFile = z.object(EditProposal.shape);

export function proposalCommands(program: Command): void {
  const proposals = program.command('proposals').description('list, read and decide proposals');
  const connection = () => program.opts<ConnectionOptions>();
  proposals
    .command('list', { isDefault: true })
    .description('list proposals, those tested on other runs and the highest impact first')
    .addOption(
      new Option('--state <state>', 'state of the proposals').choices(ProposalState.options).default('pending'),
    )
    .addOption(new Option('--kind <kind>', 'only proposals of this kind').choices(ProposalKind.options))
    .addOption(new Option('--risk <risk>', 'only proposals of this risk').choices(Risk.options))
    .addOption(
      new Option('--verdict <verdict>', 'only proposals with this result of their check').choices(
        ProposalVerdict.options,
      ),
    )
    .option('--mine', 'only proposals that you may decide and have not voted on')
    .option('--skill <skill>', 'only proposals for this skill')
    .option('--min-agents <n>', 'only proposals seen by at least this many agents', Number)
    .option('--since <time>', 'only proposals submitted since this time, such as 2026-03-01T00:00:00Z')
    .option('--cluster <cluster>', 'only the near-duplicates in this cluster')
    .option(
      '--search <text>',
      'only proposals with these word prefixes in title, skill name or file; use "quotes" for a phrase',
    )
    .action(
      ({ search, mine, ...filters }: Omit<Partial<ProposalQuery>, 'mine'> & { search?: string; mine?: boolean }) =>
        list(connection(), {
          ...filters,
          ...(mine ? { mine: 'true' as const } : {}),
          ...optional('q', search),
        }),
    );
  proposals
    .command('show <proposal>')
    .description('show a proposal with its evidence and the exact file that agents would receive')
    .action((proposal: string) =>
      answer(connection(), async (client) => client.proposals.show(await proposalId(client, proposal)), printWhole),
    );
  proposals
    .command('executions <proposal>')
    .description('list the executions that the evidence of a proposal counts, newest first')
    .option('--agent <agent>', 'only executions of this agent')
    .action((proposal: string, options: { agent?: string }) => listExecutions(connection(), proposal, options));
  proposals
    .command('approve <proposal>')
    .description('approve exactly the file that you read')
    .requiredOption('--sha256 <hash>', 'hash printed by "show" (at least the first 12 digits)')
    .action((proposal: string, options: { sha256: string }) => approve(connection(), proposal, options.sha256));
  proposals
    .command('override <proposal>')
    .description('approve outside the review scope or without all votes; two reviewers must do this within an hour')
    .requiredOption('--sha256 <hash>', 'hash printed by "show"')
    .requiredOption('--reason <text>', 'reason, for the journal')
    .action((proposal: string, options: { sha256: string; reason: string }) =>
      override(connection(), proposal, options),
    );
  changeCommands(proposals, connection);
}

/** What a reviewer does other than approve. */
function changeCommands(proposals: Command, connection: () => ConnectionOptions): void {
  proposals
    .command('edit <proposal>')
    .description('replace the proposed skill with an edited one; another reviewer must also approve the new revision')
    .option('--file <path>', 'output of "--json proposals show <proposal>" with an edited "proposedSkill"')
    .option('--gate', 'refuse a call that it is about once in a session, with this lesson')
    .option('--no-gate', 'refuse no call with it')
    .action((proposal: string, options: EditOptions) => edit(connection(), proposal, options));
  proposals
    .command('resolve <proposal>')
    .description('resolve a conflict with a live skill: supersede it, amend it (with --file) or keep it')
    .requiredOption('--sha256 <hash>', 'hash printed by "show"')
    .addOption(
      new Option('--as <resolution>', 'what happens to the live skill')
        .choices(['supersede', 'amend', 'keep'])
        .makeOptionMandatory(),
    )
    .option('--file <path>', 'for amend: file with the merged skill, as for "edit"')
    .action((proposal: string, options: { sha256: string; as: Resolve['as']; file?: string }) =>
      resolve(connection(), proposal, options),
    );
  proposals
    .command('reopen <proposal>')
    .description('reopen a rejected, expired or withdrawn proposal, or that of a retired skill')
    .requiredOption('--reason <text>', 'reason, for the journal')
    .action((proposal: string, { reason }: { reason: string }) =>
      answer(
        connection(),
        async (client) => client.proposals.reopen(await closedProposalId(client, proposal), reason),
        ({ id, risk }) => print(`Reopened as ${id} (risk ${risk}). To read it: guildbook proposals show ${id}`),
      ),
    );
  proposals
    .command('reject <proposal>')
    .description('reject a proposal; the pattern returns only with much more evidence')
    .requiredOption('--reason <text>', 'reason, for the journal')
    .action((proposal: string, { reason }: { reason: string }) =>
      answer(
        connection(),
        async (client) => client.proposals.reject(await pendingProposalId(client, proposal), reason),
        (rejected) => print(`Rejected ${named(rejected)}.`),
      ),
    );
}

function list(options: ConnectionOptions, query: Partial<ProposalQuery>): Promise<void> {
  const { state = 'pending' } = query;
  return answer(
    options,
    async (client) => {
      const cluster = query.cluster === undefined ? {} : { cluster: await clusterId(client, query.cluster, state) };
      return client.proposals.list({ ...query, ...cluster, limit: 100 });
    },
    (page) => printPage(state, page),
  );
}

function printPage(state: ProposalState, page: ProposalPage): void {
  if (page.items.length === 0) {
    print(state === 'pending' ? 'No pending proposals. Run a cycle with: guildbook evolve' : `No ${state} proposals.`);
    return;
  }
  printTable(
    ['id', 'check', 'risk', 'cluster', 'votes', 'agents', 'owners', 'failures', 'confidence', 'proposal'],
    page.items.map((i) => [
      i.id.slice(0, 8),
      i.verdict ? VERDICT_TEXTS[i.verdict] : '-',
      i.risk,
      i.cluster.size > 1 ? `${i.cluster.size} in ${i.cluster.id.slice(0, 8)}` : '-',
      `${i.votes.given}/${i.votes.needed}`,
      i.evidence.agents,
      i.evidence.owners,
      i.evidence.failures,
      percentText(i.confidence),
      i.kind === 'new_skill' || i.title.startsWith('Retire: ') ? i.title : `[${i.kind}] ${i.title}`,
    ]),
    (cell, column) => (column === 'check' || column === 'risk' ? verdictStyle(cell) : undefined),
  );
  const total = page.total < MAX_COUNTED ? formatCount(page.total, 'proposal') : `${MAX_COUNTED} or more proposals`;
  print(`\n${page.items.length} of ${total}. To read one: guildbook proposals show <proposal>`);
}

function printWhole(proposal: ProposalDetails): void {
  printProposal(proposal);
  if (proposal.evidence.executionIds)
    print(`\nList the executions that it counts:  guildbook proposals executions ${proposal.id}`);
  if (proposal.state !== 'pending') return;
  print(
    `\nApprove this exact file:  guildbook proposals approve ${proposal.id} --sha256 ${proposal.artifactSha256.slice(0, 12)}`,
  );
  print(`Reject the proposal:      guildbook proposals reject ${proposal.id} --reason "..."`);
}

function listExecutions(options: ConnectionOptions, given: string, { agent }: { agent?: string }): Promise<void> {
  return answer(
    options,
    async (client) => {
      const query = { proposal: await proposalId(client, given), agent, limit: 200 };
      const items = await allPages((after) => client.executions.list({ ...query, ...after }));
      return { items, total: items.length };
    },
    printExecutions,
  );
}

function printExecutions({ items }: Pick<ExecutionList, 'items'>): void {
  print(
    table(
      ['id', 'agent', 'result', 'failed calls', 'received', 'task'],
      items.map((one) => [
        ...[one.id, one.agent, one.status, `${one.failedCalls} of ${one.toolCalls}`],
        ...[one.receivedAt.slice(0, 16), one.taskTitle],
      ]),
    ),
  );
  const none = 'The proposal has no executions, or was made before their ids were kept: the next cycle adds them.';
  print(`\n${items.length === 0 ? none : `${formatCount(items.length, 'execution')}.`}`);
}

const approve = (options: ConnectionOptions, given: string, sha256: string): Promise<void> =>
  answer(
    options,
    async (client) => {
      const id = await pendingProposalId(client, given);
      return client.proposals.approve(id, await fullHash(client, id, sha256.toLowerCase()));
    },
    (approved) =>
      print(
        approved.message === null
          ? `Approved ${named(approved)}. Skill "${approved.skillName}" is being published. To check: guildbook skills show ${approved.skillName}`
          : `${approved.message} Proposal: ${named(approved)}`,
      ),
  );

const override = (
  options: ConnectionOptions,
  given: string,
  { sha256, reason }: { sha256: string; reason: string },
): Promise<void> =>
  answer(
    options,
    async (client) => {
      const id = await pendingProposalId(client, given);
      const artifactSha256 = await fullHash(client, id, sha256.toLowerCase());
      return client.proposals.override(id, { artifactSha256, reason });
    },
    (overridden) =>
      print(
        overridden.message === null
          ? `Approved by override: ${named(overridden)}. Skill "${overridden.skillName}" is being published.`
          : `${overridden.message} Proposal: ${named(overridden)}`,
      ),
  );

/** Completes the first digits of a hash. Throws if the file has changed since the reviewer read it. */
async function fullHash(client: Guildbook, id: string, hashPrefix: string): Promise<string> {
  if (!/^[0-9a-f]{12,64}$/.test(hashPrefix))
    throw invalidArgument('--sha256: enter at least the first 12 hex digits printed by "show".');
  if (hashPrefix.length === 64) return hashPrefix;
  const { artifactSha256 } = await client.proposals.show(id);
  if (artifactSha256.startsWith(hashPrefix)) return artifactSha256;
  throw new CliError(
    EXIT.failed,
    'proposal.artifact_changed',
    '--sha256: the file has changed since you read it. Read the proposal again.',
  );
}

async function readEditedProposal(path: string): Promise<EditProposal> {
  const read = EditedFile.safeParse(parseJson(await readFile(givenPath(path), 'utf8')));
  if (!read.success)
    throw invalidArgument(
      `${path}: must contain "artifactSha256" and "proposedSkill", as printed by "--json proposals show".`,
    );
  return read.data;
}

/**
 * The file may be the full JSON of "show"; only `artifactSha256` and `proposedSkill` are used. Without a file the text
 * stays, and only the gate changes.
 */
async function edit(options: ConnectionOptions, given: string, { file, gate }: EditOptions): Promise<void> {
  if (file === undefined && gate === undefined) throw invalidArgument('Enter --file, --gate or --no-gate.');
  const written = file === undefined ? undefined : await readEditedProposal(file);
  return answer(
    options,
    async (client) => {
      const id = await pendingProposalId(client, given);
      const { artifactSha256, proposedSkill } = written ?? (await client.proposals.show(id));
      const { gate: before, ...texts } = proposedSkill;
      const isGate = gate ?? before ?? false;
      return client.proposals.edit(id, {
        artifactSha256,
        proposedSkill: { ...texts, ...(isGate ? { gate: true } : {}) },
      });
    },
    ({ id, revision, risk }) =>
      print(`Saved as revision ${revision} (risk ${risk}, no votes yet). To read it: guildbook proposals show ${id}`),
  );
}

async function resolve(
  options: ConnectionOptions,
  given: string,
  { sha256, as, file }: { sha256: string; as: Resolve['as']; file?: string },
): Promise<void> {
  if (as === 'amend' && file === undefined) throw invalidArgument('--file: required for --as amend.');
  return answer(
    options,
    async (client) => {
      const id = await pendingProposalId(client, given);
      const artifactSha256 = await fullHash(client, id, sha256.toLowerCase());
      return client.proposals.resolve(
        id,
        as === 'amend'
          ? { as, artifactSha256, proposedSkill: (await readEditedProposal(file ?? '')).proposedSkill }
          : { as, artifactSha256 },
      );
    },
    (resolved) =>
      print(
        resolved.state === 'pending'
          ? `Resolved: revision ${resolved.revision}, kind ${resolved.kind}, no votes yet.`
          : `Rejected ${named(resolved)}. Skill "${resolved.skillName}" stays as it is.`,
      ),
  );
}

/** The title and the id, since the command may have been given either, or the name of the skill. */
const named = ({ title, id }: ProposalSummary): string => oneLine(`"${title}", id ${id}`);
