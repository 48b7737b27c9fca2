import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { Guildbook } from '../../client/guildbook.js';
import { checkpointAnchor, commitAnchors, headAnchor } from '../../journal/anchors.js';
import { entryHash } from '../../journal/chain.js';
import { type Anchor, ChainAudit, type ChainBreak } from '../../journal/chain-audit.js';
import { readCheckpoint } from '../../journal/checkpoint.js';
import { type InclusionProof, StoredEntry } from '../../journal/journal.schema.js';
import { isIncluded } from '../../journal/merkle.js';
import { auditStreamOf } from '../server/names.js';
import { answer, type ConnectionOptions, connect, printList } from '../server/session.js';
import { auditStreamState } from '../terminal/audit-stream-text.js';
import { CliError, EXIT, invalidArgument } from '../terminal/cli-error.js';
import { commandProcess, givenPath } from '../terminal/command-process.js';
import { formatCount, oneLine, print, printJson } from '../terminal/terminal.js';

interface VerifyOptions {
  readonly head: readonly string[];
  readonly commits?: string;
  readonly checkpoint?: string;
  readonly key?: string;
  readonly file?: string;
}

const PAGE = 1_000;

export function journalCommands(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  const journal = program.command('journal').description('show, verify and export the journal of all actions');
  journal
    .command('list', { isDefault: true })
    .description('list the newest entries')
    .option('--limit <n>', 'maximum number of entries', '30')
    .option('--action <action>', 'only entries with this action, such as proposal.approved')
    .action((query: { limit: string; action?: string }) =>
      printList(
        connection(),
        (client) => client.journal.list({ ...query, order: 'newest' }),
        ['seq', 'time', 'actor', 'action', 'subject'],
        ({ seq, at, actor, action, subject }) => [
          seq,
          at,
          `${actor.kind} ${actor.name}`,
          action,
          `${subject.type} ${subject.id}`,
        ],
      ),
    );
  journal
    .command('verify')
    .description(
      'verify the hash chain; exit status 1 if it is broken. With any option, the entries are verified on this machine instead of on the server',
    )
    .option('--head <seq:hash>', 'a head that you recorded earlier; may be repeated', appendValue, [])
    .option('--commits <file>', 'output of `git log --format=%B` in the skills repository; - reads standard input')
    .option('--checkpoint <file>', 'a checkpoint that you saved; - reads standard input')
    .option('--key <verifier key>', "the journal's key, from a source other than this server")
    .option('--file <jsonl>', 'verify an exported journal instead of the one on the server')
    .action((options: VerifyOptions) => verify(connection(), options));
  journal
    .command('checkpoint')
    .description('print the newest signed head; store it where the owner of the database cannot change it')
    .action(() =>
      answer(
        connection(),
        (client) => client.journal.checkpoint(),
        ({ note }) => void commandProcess().stdout.write(note),
      ),
    );
  journal
    .command('prove <seq>')
    .description('prove that the newest signed head includes an entry; this machine checks the proof')
    .option('--key <verifier key>', "the journal's key, from a source other than this server")
    .action((seq: string, options: { key?: string }) => prove(connection(), Number(seq), options.key));
  journal
    .command('export [file]')
    .description('export the stored entries as JSON lines to a file or to standard output')
    .action((file: string | undefined) => exportEntries(connection(), file));
  journalStreamCommands(journal, connection);
}

const appendValue = (value: string, earlier: readonly string[]): readonly string[] => [...earlier, value];

async function verify(connection: ConnectionOptions, options: VerifyOptions): Promise<void> {
  const { head, commits, checkpoint: note, key, file } = options;
  const isLocal = head.length > 0 || [commits, note, key, file].some((option) => option !== undefined);
  const answer = isLocal ? await auditLocally(connection, options) : await (await connect(connection)).journal.verify();
  if (connection.json) printJson(answer);
  else if (answer.firstBroken === null) {
    print(
      `The journal is intact: ${formatCount(answer.entries, 'entry', 'entries')}, head ${answer.head.seq}:${answer.head.hash}`,
      'green',
    );
    if ('compared' in answer) {
      print(`Matches ${formatCount(answer.compared, 'known entry', 'known entries')} that you gave.`);
      if (answer.unsigned > 0)
        print(
          `${formatCount(answer.unsigned, 'commit')} without the journal's signature: they prove no more than the git history.`,
        );
    } else if (answer.checkpoints.unknown > 0)
      print(`${formatCount(answer.checkpoints.unknown, 'checkpoint')} signed by a key that the server does not trust.`);
  }
  if (answer.firstBroken === null) return;
  const { seq, reason } = answer.firstBroken;
  throw new CliError(EXIT.failed, 'journal.broken', `The journal is broken at entry ${seq}: ${reason}`);
}

interface LocalAudit {
  readonly intact: boolean;
  readonly entries: number;
  readonly head: { readonly seq: number; readonly hash: string };
  readonly firstBroken: ChainBreak | null;
  /** Number of heads, commits and checkpoints that were compared with the entries. */
  readonly compared: number;
  /** Number of these commits without the journal's signature. */
  readonly unsigned: number;
}

async function auditLocally(connection: ConnectionOptions, options: VerifyOptions): Promise<LocalAudit> {
  const client = options.file === undefined || options.key === undefined ? await connect(connection) : undefined;
  const { anchors, forged, unsigned } = await readAnchors(
    options,
    async () => options.key ?? (await serverKey(client)),
  );
  const audit = new ChainAudit();
  let broken: ChainBreak | undefined = forged;
  for await (const page of pages(options.file, client)) broken ??= audit.read(page, anchors);
  broken ??= audit.end(anchors);
  const { position } = audit;
  return {
    intact: broken === undefined,
    entries: position.seq,
    head: position,
    firstBroken: broken ?? null,
    compared: anchors.length,
    unsigned,
  };
}

/** The entries that the caller knows from outside the server. Throws if an option's value is malformed. */
async function readAnchors(
  { head, commits, checkpoint: kept }: VerifyOptions,
  key: () => Promise<string>,
): Promise<{ anchors: Anchor[]; forged: ChainBreak | undefined; unsigned: number }> {
  const heads = head.map((text) => {
    const anchor = headAnchor(text);
    if (!anchor)
      throw invalidArgument(`--head ${text}: must be <seq>:<hash>, as printed by \`guildbook journal verify\``);
    return anchor;
  });
  const fromCommits = commits === undefined ? undefined : commitAnchors(await textOf(commits), await key());
  if (fromCommits?.anchors.length === 0)
    throw invalidArgument('--commits: no commit names a journal entry. Pass the output of `git log --format=%B`.');
  const note = kept === undefined ? undefined : checkpointAnchor(await textOf(kept), await key());
  if (kept !== undefined && !note) throw invalidArgument("--checkpoint: not a checkpoint signed by the journal's key");
  return {
    anchors: [...heads, ...(fromCommits?.anchors ?? []), ...(note ? [note] : [])],
    forged: fromCommits?.forged,
    unsigned: fromCommits?.unsigned ?? 0,
  };
}

async function serverKey(client: Guildbook | undefined): Promise<string> {
  if (!client) throw invalidArgument('--key: required without a server');
  return (await client.journal.checkpoint()).verifierKey;
}

async function* pages(file: string | undefined, client: Guildbook | undefined): AsyncGenerator<StoredEntry[]> {
  if (file === undefined) {
    if (client) yield* client.journal.export();
    return;
  }
  let page: StoredEntry[] = [];
  let number = 0;
  const input = createReadStream(givenPath(file));
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    page.push(parseEntry(line, `--file: line ${number} is not a journal entry`));
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  yield page;
}

function parseEntry(line: string, otherwise: string): StoredEntry {
  try {
    return StoredEntry.parse(JSON.parse(line));
  } catch {
    throw invalidArgument(otherwise);
  }
}

async function prove(options: ConnectionOptions, seq: number, verifierKey: string | undefined): Promise<void> {
  const proof = await (await connect(options)).journal.prove(seq);
  const key = verifierKey ?? proof.checkpoint.verifierKey;
  const proven = isProven(proof, key);
  if (options.json) printJson({ proven, key, ...proof });
  else if (proven)
    print(
      `Proven: the head signed by ${key.split('+')[0]} over ${formatCount(proof.checkpoint.size, 'entry', 'entries')} includes entry ${seq} (${proof.entry.action}).`,
    );
  if (proven) return;
  throw new CliError(EXIT.failed, 'journal.invalid_proof', `The proof of entry ${seq} is invalid.`);
}

function isProven({ entry, path, checkpoint: { note } }: InclusionProof, key: string): boolean {
  const signed = checkpointAnchor(note, key);
  const size = readCheckpoint(note)?.size ?? 0;
  return (
    signed?.root !== undefined &&
    entryHash(entry) === entry.hash &&
    isIncluded(entry.hash, entry.seq - 1, size, path, signed.root)
  );
}

async function exportEntries(options: ConnectionOptions, file: string | undefined): Promise<void> {
  const client = await connect(options);
  let count = 0;
  if (file !== undefined) await writeFile(givenPath(file), '');
  for await (const page of client.journal.export()) {
    const lines = page.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    if (file === undefined) commandProcess().stdout.write(lines);
    else await writeFile(givenPath(file), lines, { flag: 'a' });
    count += page.length;
  }
  if (file === undefined) return;
  if (options.json) return printJson({ entries: count, file });
  print(`Exported ${formatCount(count, 'entry', 'entries')} to ${file}.`);
}

const textOf = (file: string): Promise<string> =>
  file === '-' ? text(commandProcess().stdin) : readFile(givenPath(file), 'utf8');

const BEGINNINGS = ['beginning', 'now'] as const;
type Beginning = (typeof BEGINNINGS)[number];

/** The commands under `guildbook journal streams`. */
function journalStreamCommands(journal: Command, options: () => ConnectionOptions): void {
  const streams = journal
    .command('streams')
    .description('manage where the journal is sent; a stream is given by its address or id');
  streams
    .command('list', { isDefault: true })
    .description('list streams, with what each receiver has')
    .action(() =>
      printList(
        options(),
        (client) => client.auditStreams.list(),
        ['kind', 'target', 'sent up to', 'pending', 'state', 'id'],
        (stream) => [
          ...[stream.kind, stream.target, stream.acknowledged, stream.pending],
          ...[auditStreamState(stream), stream.id],
        ],
        'The journal is sent nowhere. Add a receiver with: guildbook journal streams add <url>',
      ),
    );
  streams
    .command('add <url>')
    .description('send the journal to an address and print its signing secret (shown only once)')
    .addOption(new Option('--from <entry>', 'the first entry to send').choices(BEGINNINGS).default('beginning'))
    .action((url: string, { from }: { from: Beginning }) =>
      answer(
        options(),
        (client) => client.auditStreams.add({ url, from }),
        ({ id, secret }) => print(`Added audit stream ${id}. Signing secret (shown only once):\n  ${secret}`),
      ),
    );
  streams
    .command('remove <stream>')
    .description('stop sending, and forget what the receiver has')
    .action((stream: string) => remove(options(), stream));
}

async function remove(options: ConnectionOptions, stream: string): Promise<void> {
  const client = await connect(options);
  const { id, names } = await auditStreamOf(client, stream);
  await client.auditStreams.remove(id);
  if (options.json) return printJson({ removed: id });
  print(oneLine(`Removed audit stream ${[...names, `id ${id}`].join(', ')}.`));
}
