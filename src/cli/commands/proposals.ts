import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import {
  EditProposal,
  ProposalKind,
  type ProposalQuery,
  ProposalState,
  type ProposalSummary,
  type Resolve,
  Risk,
} from '../../approvals/proposals/proposals.schema.js';
import type { Guildbook } from '../../client/guildbook.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { printProposal } from '../terminal/proposal-text.js';
import { print, printJson, table } from '../terminal/terminal.js';

const EditedFile = z.object(EditProposal.shape);

export function proposalCommands(program: Command): void {
  const proposals = program.command('proposals').description('the queue where you decide');
  const connection = () => program.opts<ConnectionOptions>();
  proposals
    .command('list', { isDefault: true })
    .description('what waits for a decision, best first')
    .addOption(new Option('--state <state>', 'where it stands').choices(ProposalState.options).default('pending'))
    .addOption(new Option('--kind <kind>', 'only items of this kind').choices(ProposalKind.options))
    .addOption(new Option('--risk <risk>', 'only items of this risk').choices(Risk.options))
    .option('--mine', 'only what waits for you: within your review scope, without your vote')
    .option('--skill <name>', 'only items about this skill')
    .option('--min-agents <n>', 'only what so many agents saw', Number)
    .option('--since <time>', 'only what was submitted since, such as 2026-03-01T00:00:00Z')
    .option('--cluster <id>', 'only near-duplicates of one another')
    .option(
      '--search <text>',
      'only items with words in the title, the name or the file that begin so; "in quotes" as they follow',
    )
    .action(
      ({ search, mine, ...filters }: Omit<Partial<ProposalQuery>, 'mine'> & { search?: string; mine?: boolean }) =>
        list(connection(), {
          ...filters,
          ...(mine ? { mine: 'true' as const } : {}),
          ...(search === undefined ? {} : { q: search }),
        }),
    );
  proposals
    .command('show <id>')
    .description('everything about one item: the evidence and the file as agents would get it')
    .action((id: string) => show(connection(), id));
  proposals
    .command('approve <id>')
    .description('approve exactly the bytes that you read')
    .requiredOption('--sha256 <hash>', 'the hash that "show" printed (its first 12 digits or more will do)')
    .action((id: string, options: { sha256: string }) => approve(connection(), id, options.sha256));
  proposals
    .command('override <id>')
    .description('approve without the review scope or the number of votes: two people, within an hour')
    .requiredOption('--sha256 <hash>', 'the hash that "show" printed')
    .requiredOption('--reason <text>', 'why')
    .action((id: string, options: { sha256: string; reason: string }) => override(connection(), id, options));
  proposals
    .command('edit <id>')
    .description('put another wording in its place: a new revision, which somebody else has to approve too')
    .requiredOption('--file <path>', 'what "--json proposals show <id>" printed, with its proposal changed')
    .action((id: string, options: { file: string }) => edit(connection(), id, options.file));
  proposals
    .command('resolve <id>')
    .description('settle a conflict with a live skill: supersede it, amend it (with --file, as for "edit"), or keep it')
    .requiredOption('--sha256 <hash>', 'the hash that "show" printed')
    .addOption(
      new Option('--as <what>', 'what becomes of it').choices(['supersede', 'amend', 'keep']).makeOptionMandatory(),
    )
    .option('--file <path>', 'for amend: the wording that has room for both')
    .action((id: string, options: { sha256: string; as: Resolve['as']; file?: string }) =>
      resolve(connection(), id, options),
    );
  proposals
    .command('reopen <id>')
    .description('ask again what was rejected, expired or withdrawn; give the whole id')
    .requiredOption('--reason <text>', 'why')
    .action((id: string, options: { reason: string }) => reopen(connection(), id, options.reason));
  proposals
    .command('reject <id>')
    .description('reject; the reason is remembered, and the pattern comes back only with much more evidence')
    .requiredOption('--reason <text>', 'why')
    .action((id: string, options: { reason: string }) => reject(connection(), id, options.reason));
}

async function list(options: ConnectionOptions, query: Partial<ProposalQuery>): Promise<void> {
  const { state = 'pending' } = query;
  const page = await (await connect(options)).proposals.list({ ...query, limit: 100 });
  if (options.json) return printJson(page);
  if (page.items.length === 0)
    return print(
      state === 'pending' ? 'Nothing waits for a decision. Run a cycle with: guildbook evolve' : `No item is ${state}.`,
    );
  print(
    table(
      ['id', 'risk', 'alike', 'votes', 'agents', 'owners', 'failures', 'confidence', 'proposal'],
      page.items.map((i) => [
        i.id.slice(0, 8),
        i.risk,
        i.cluster.size > 1 ? `${i.cluster.size} in ${i.cluster.id.slice(0, 8)}` : '-',
        `${i.votes.given}/${i.votes.needed}`,
        i.evidence.agents,
        i.evidence.owners,
        i.evidence.failures,
        i.confidence.toFixed(2),
        i.kind === 'new_skill' ? i.title : `[${i.kind}] ${i.title}`,
      ]),
    ),
  );
  const total = page.total < 1_000 ? page.total : '1000 or more';
  print(`\n${page.items.length} of ${total}. Read one with: guildbook proposals show <id>`);
}

/** People type the first digits; the API wants the whole id. */
async function fullId(client: Guildbook, idPrefix: string): Promise<string> {
  if (idPrefix.length >= 36) return idPrefix;
  if (idPrefix.length < 4) throw new Error('Give at least the first four characters of the id.');
  const matching: ProposalSummary[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await client.proposals.list({ limit: 100, ...(after ? { after } : {}) });
    matching.push(...page.items.filter(({ id }) => id.startsWith(idPrefix.toLowerCase())));
    after = page.next;
  }
  const [only] = matching;
  if (matching.length > 1) throw new Error(`"${idPrefix}" fits ${matching.length} items; give more of the id.`);
  if (!only) throw new Error(`No pending item starts with "${idPrefix}". For a decided one give the whole id.`);
  return only.id;
}

async function show(options: ConnectionOptions, idPrefix: string): Promise<void> {
  const client = await connect(options);
  const proposal = await client.proposals.show(await fullId(client, idPrefix));
  if (options.json) return printJson(proposal);
  printProposal(proposal);
  if (proposal.state !== 'pending') return;
  print(
    `\nApprove exactly this file:  guildbook proposals approve ${proposal.id} --sha256 ${proposal.artifactSha256.slice(0, 12)}`,
  );
  print(`Reject it:                  guildbook proposals reject ${proposal.id} --reason "..."`);
}

async function approve(options: ConnectionOptions, idPrefix: string, sha256: string): Promise<void> {
  const client = await connect(options);
  const id = await fullId(client, idPrefix);
  const approved = await client.proposals.approve(id, await fullHash(client, id, sha256.toLowerCase()));
  if (options.json) return printJson(approved);
  if (approved.message !== null) return print(approved.message);
  print(
    `Approved. The skill "${approved.skillName}" is on its way into the repository: guildbook skills show ${approved.skillName}`,
  );
}

async function override(
  options: ConnectionOptions,
  idPrefix: string,
  { sha256, reason }: { sha256: string; reason: string },
): Promise<void> {
  const client = await connect(options);
  const id = await fullId(client, idPrefix);
  const artifactSha256 = await fullHash(client, id, sha256.toLowerCase());
  const overridden = await client.proposals.override(id, { artifactSha256, reason });
  if (options.json) return printJson(overridden);
  print(overridden.message ?? `Approved by override. The skill "${overridden.skillName}" is on its way.`);
}

/** The first digits are enough to say which bytes were read; when they are of other bytes, the server says so. */
async function fullHash(client: Guildbook, id: string, idPrefix: string): Promise<string> {
  if (!/^[0-9a-f]{12,64}$/.test(idPrefix))
    throw new Error('--sha256: give at least the first 12 hex digits that "show" printed.');
  if (idPrefix.length === 64) return idPrefix;
  const { artifactSha256 } = await client.proposals.show(id);
  if (artifactSha256.startsWith(idPrefix)) return artifactSha256;
  throw new Error('--sha256: the item has other bytes now than those you read. Read it again.');
}

async function readEditedProposal(path: string): Promise<EditProposal> {
  const read = EditedFile.safeParse(parseJson(await readFile(path, 'utf8')));
  if (!read.success)
    throw new Error(`${path}: needs "artifactSha256" and "proposal", as "--json proposals show" prints.`);
  return read.data;
}

/** The file may be the whole answer of "show": of it, the bytes that were read and the proposal count. */
async function edit(options: ConnectionOptions, idPrefix: string, path: string): Promise<void> {
  const read = await readEditedProposal(path);
  const client = await connect(options);
  const edited = await client.proposals.edit(await fullId(client, idPrefix), read);
  if (options.json) return printJson(edited);
  print(
    `Revision ${edited.revision}, risk ${edited.risk}, without votes. Read it with: guildbook proposals show ${edited.id}`,
  );
}

async function resolve(
  options: ConnectionOptions,
  idPrefix: string,
  { sha256, as, file }: { sha256: string; as: Resolve['as']; file?: string },
): Promise<void> {
  if (as === 'amend' && file === undefined) throw new Error('--file: is needed to amend.');
  const client = await connect(options);
  const id = await fullId(client, idPrefix);
  const artifactSha256 = await fullHash(client, id, sha256.toLowerCase());
  const resolution: Resolve =
    as === 'amend'
      ? { as, artifactSha256, proposedSkill: (await readEditedProposal(file ?? '')).proposedSkill }
      : { as, artifactSha256 };
  const resolved = await client.proposals.resolve(id, resolution);
  if (options.json) return printJson(resolved);
  print(
    resolved.state === 'pending'
      ? `It is now revision ${resolved.revision} of the kind ${resolved.kind}, without votes.`
      : `Rejected: the skill "${resolved.skillName}" stands.`,
  );
}

async function reopen(options: ConnectionOptions, id: string, reason: string): Promise<void> {
  const reopened = await (await connect(options)).proposals.reopen(id, reason);
  if (options.json) return printJson(reopened);
  print(`Reopened as ${reopened.id}, risk ${reopened.risk}. Read it with: guildbook proposals show ${reopened.id}`);
}

async function reject(options: ConnectionOptions, idPrefix: string, reason: string): Promise<void> {
  const client = await connect(options);
  const rejected = await client.proposals.reject(await fullId(client, idPrefix), reason);
  if (options.json) return printJson(rejected);
  print(`Rejected: ${rejected.title}`);
}
