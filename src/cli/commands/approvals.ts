import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import {
  ApprovalKind,
  type ApprovalQuery,
  ApprovalState,
  type ApprovalSummary,
  EditProposal,
  type Resolve,
  Risk,
} from '../../approvals/proposals/approvals.schema.js';
import type { Guildbook } from '../../client/guildbook.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { printApproval } from '../terminal/approval-text.js';
import { print, printJson, table } from '../terminal/terminal.js';

const EditedFile = z.object(EditProposal.shape);

export function approvalCommands(program: Command): void {
  const approvals = program.command('approvals').description('the queue where you decide');
  const connection = () => program.opts<ConnectionOptions>();
  approvals
    .command('list', { isDefault: true })
    .description('what waits for a decision, best first')
    .addOption(new Option('--state <state>', 'where it stands').choices(ApprovalState.options).default('pending'))
    .addOption(new Option('--kind <kind>', 'only items of this kind').choices(ApprovalKind.options))
    .addOption(new Option('--risk <risk>', 'only items of this risk').choices(Risk.options))
    .option('--mine', 'only what waits for you: within your remit, without your vote')
    .option('--skill <name>', 'only items about this skill')
    .option('--min-agents <n>', 'only what so many agents saw', Number)
    .option('--since <time>', 'only what was submitted since, such as 2026-03-01T00:00:00Z')
    .option('--cluster <id>', 'only near-duplicates of one another')
    .option(
      '--search <text>',
      'only items with words in the title, the name or the file that begin so; "in quotes" as they follow',
    )
    .action(
      ({ search, mine, ...filters }: Omit<Partial<ApprovalQuery>, 'mine'> & { search?: string; mine?: boolean }) =>
        list(connection(), {
          ...filters,
          ...(mine ? { mine: 'true' as const } : {}),
          ...(search === undefined ? {} : { q: search }),
        }),
    );
  approvals
    .command('show <id>')
    .description('everything about one item: the evidence and the file as agents would get it')
    .action((id: string) => show(connection(), id));
  approvals
    .command('approve <id>')
    .description('approve exactly the bytes that you read')
    .requiredOption('--sha256 <hash>', 'the hash that "show" printed (its first 12 digits or more will do)')
    .action((id: string, options: { sha256: string }) => approve(connection(), id, options.sha256));
  approvals
    .command('override <id>')
    .description('approve without the remit or the number of votes: two people, within an hour')
    .requiredOption('--sha256 <hash>', 'the hash that "show" printed')
    .requiredOption('--reason <text>', 'why')
    .action((id: string, options: { sha256: string; reason: string }) => override(connection(), id, options));
  approvals
    .command('edit <id>')
    .description('put another wording in its place: a new revision, which somebody else has to approve too')
    .requiredOption('--file <path>', 'what "--json approvals show <id>" printed, with its proposal changed')
    .action((id: string, options: { file: string }) => edit(connection(), id, options.file));
  approvals
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
  approvals
    .command('reopen <id>')
    .description('ask again what was rejected, expired or withdrawn; give the whole id')
    .requiredOption('--reason <text>', 'why')
    .action((id: string, options: { reason: string }) => reopen(connection(), id, options.reason));
  approvals
    .command('reject <id>')
    .description('reject; the reason is remembered, and the pattern comes back only with much more evidence')
    .requiredOption('--reason <text>', 'why')
    .action((id: string, options: { reason: string }) => reject(connection(), id, options.reason));
}

async function list(options: ConnectionOptions, query: Partial<ApprovalQuery>): Promise<void> {
  const { state = 'pending' } = query;
  const page = await (await connect(options)).approvals.list({ ...query, limit: 100 });
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
  print(`\n${page.items.length} of ${total}. Read one with: guildbook approvals show <id>`);
}

/** People type the first digits; the API wants the whole id. */
async function fullId(client: Guildbook, given: string): Promise<string> {
  if (given.length >= 36) return given;
  if (given.length < 4) throw new Error('Give at least the first four characters of the id.');
  const matching: ApprovalSummary[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await client.approvals.list({ limit: 100, ...(after ? { after } : {}) });
    matching.push(...page.items.filter(({ id }) => id.startsWith(given.toLowerCase())));
    after = page.next;
  }
  const [only] = matching;
  if (matching.length > 1) throw new Error(`"${given}" fits ${matching.length} items; give more of the id.`);
  if (!only) throw new Error(`No pending item starts with "${given}". For a decided one give the whole id.`);
  return only.id;
}

async function show(options: ConnectionOptions, given: string): Promise<void> {
  const client = await connect(options);
  const approval = await client.approvals.show(await fullId(client, given));
  if (options.json) return printJson(approval);
  printApproval(approval);
  if (approval.state !== 'pending') return;
  print(
    `\nApprove exactly this file:  guildbook approvals approve ${approval.id} --sha256 ${approval.artifactSha256.slice(0, 12)}`,
  );
  print(`Reject it:                  guildbook approvals reject ${approval.id} --reason "..."`);
}

async function approve(options: ConnectionOptions, given: string, sha256: string): Promise<void> {
  const client = await connect(options);
  const id = await fullId(client, given);
  const approved = await client.approvals.approve(id, await wholeHash(client, id, sha256.toLowerCase()));
  if (options.json) return printJson(approved);
  if (approved.says !== null) return print(approved.says);
  print(
    `Approved. The skill "${approved.skillName}" is on its way into the repository: guildbook skills show ${approved.skillName}`,
  );
}

async function override(
  options: ConnectionOptions,
  given: string,
  { sha256, reason }: { sha256: string; reason: string },
): Promise<void> {
  const client = await connect(options);
  const id = await fullId(client, given);
  const artifactSha256 = await wholeHash(client, id, sha256.toLowerCase());
  const overridden = await client.approvals.override(id, { artifactSha256, reason });
  if (options.json) return printJson(overridden);
  print(overridden.says ?? `Approved by override. The skill "${overridden.skillName}" is on its way.`);
}

/** The first digits are enough to say which bytes were read; when they are of other bytes, the server says so. */
async function wholeHash(client: Guildbook, id: string, given: string): Promise<string> {
  if (!/^[0-9a-f]{12,64}$/.test(given))
    throw new Error('--sha256: give at least the first 12 hex digits that "show" printed.');
  if (given.length === 64) return given;
  const { artifactSha256 } = await client.approvals.show(id);
  if (artifactSha256.startsWith(given)) return artifactSha256;
  throw new Error('--sha256: the item has other bytes now than those you read. Read it again.');
}

async function editedFile(path: string): Promise<EditProposal> {
  const read = EditedFile.safeParse(parseJson(await readFile(path, 'utf8')));
  if (!read.success)
    throw new Error(`${path}: needs "artifactSha256" and "proposal", as "--json approvals show" prints.`);
  return read.data;
}

/** The file may be the whole answer of "show": of it, the bytes that were read and the proposal count. */
async function edit(options: ConnectionOptions, given: string, path: string): Promise<void> {
  const read = await editedFile(path);
  const client = await connect(options);
  const edited = await client.approvals.edit(await fullId(client, given), read);
  if (options.json) return printJson(edited);
  print(
    `Revision ${edited.revision}, risk ${edited.risk}, without votes. Read it with: guildbook approvals show ${edited.id}`,
  );
}

async function resolve(
  options: ConnectionOptions,
  given: string,
  { sha256, as, file }: { sha256: string; as: Resolve['as']; file?: string },
): Promise<void> {
  if (as === 'amend' && file === undefined) throw new Error('--file: is needed to amend.');
  const client = await connect(options);
  const id = await fullId(client, given);
  const artifactSha256 = await wholeHash(client, id, sha256.toLowerCase());
  const resolution: Resolve =
    as === 'amend' ? { as, artifactSha256, proposal: (await editedFile(file ?? '')).proposal } : { as, artifactSha256 };
  const resolved = await client.approvals.resolve(id, resolution);
  if (options.json) return printJson(resolved);
  print(
    resolved.state === 'pending'
      ? `It is now revision ${resolved.revision} of the kind ${resolved.kind}, without votes.`
      : `Rejected: the skill "${resolved.skillName}" stands.`,
  );
}

async function reopen(options: ConnectionOptions, id: string, reason: string): Promise<void> {
  const reopened = await (await connect(options)).approvals.reopen(id, reason);
  if (options.json) return printJson(reopened);
  print(`Reopened as ${reopened.id}, risk ${reopened.risk}. Read it with: guildbook approvals show ${reopened.id}`);
}

async function reject(options: ConnectionOptions, given: string, reason: string): Promise<void> {
  const client = await connect(options);
  const rejected = await client.approvals.reject(await fullId(client, given), reason);
  if (options.json) return printJson(rejected);
  print(`Rejected: ${rejected.title}`);
}
