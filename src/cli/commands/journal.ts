import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { Guildbook } from '../../client/guildbook.js';
import { checkpointAnchor, commitAnchors, headAnchor } from '../../journal/anchors.js';
import { entryHash } from '../../journal/chain.js';
import { type Anchor, ChainAudit, type ChainBreak } from '../../journal/chain-audit.js';
import { readCheckpoint } from '../../journal/checkpoint.js';
import { type InclusionProof, StoredEntry } from '../../journal/journal.schema.js';
import { isIncluded } from '../../journal/merkle.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { formatCount, print, printError, printJson, table } from '../terminal/terminal.js';

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
  const journal = program.command('journal').description('who did what');
  journal
    .command('list', { isDefault: true })
    .description('the newest entries')
    .option('--limit <n>', 'how many', '30')
    .option('--action <action>', 'only this action, such as approval.approved')
    .action((query: { limit: string; action?: string }) => list(connection(), query));
  journal
    .command('verify')
    .description(
      'walk the hash chain; exit status 1 when it is broken. With any option the walk is done here, entry by entry, and not by the server',
    )
    .option('--head <seq:hash>', 'a head that you noted earlier; can be repeated', appendValue, [])
    .option('--commits <file>', 'output of `git log --format=%B` of the skills repository; - is standard input')
    .option('--checkpoint <file>', 'a checkpoint that you kept; - is standard input')
    .option('--key <verifier key>', "the journal's key, if you have it from elsewhere than this server")
    .option('--file <jsonl>', 'an exported journal instead of the server')
    .action((options: VerifyOptions) => verify(connection(), options));
  journal
    .command('checkpoint')
    .description('the newest signed head: keep it where nobody who owns the database can reach it')
    .action(() => checkpoint(connection()));
  journal
    .command('prove <seq>')
    .description('prove that an entry is under the newest signed head, and check the proof here')
    .option('--key <verifier key>', "the journal's key, if you have it from elsewhere than this server")
    .action((seq: string, options: { key?: string }) => prove(connection(), Number(seq), options.key));
  journal
    .command('export [file]')
    .description('the stored entries as JSON lines, to a file or to standard output')
    .action((file: string | undefined) => exportEntries(connection(), file));
}

const appendValue = (value: string, earlier: readonly string[]): readonly string[] => [...earlier, value];

async function list(options: ConnectionOptions, query: { limit: string; action?: string }): Promise<void> {
  const { items } = await (await connect(options)).journal.list({ ...query, order: 'newest' });
  if (options.json) return printJson(items);
  print(
    table(
      ['seq', 'at', 'who', 'what', 'subject'],
      items.map((e) => [e.seq, e.at, `${e.actor.kind} ${e.actor.name}`, e.action, `${e.subject.type} ${e.subject.id}`]),
    ),
  );
}

async function verify(connection: ConnectionOptions, options: VerifyOptions): Promise<void> {
  const { head, commits, checkpoint: note, key, file } = options;
  const isLocal = head.length > 0 || [commits, note, key, file].some((option) => option !== undefined);
  const answer = isLocal ? await auditLocally(connection, options) : await (await connect(connection)).journal.verify();
  if (connection.json) printJson(answer);
  else if (answer.firstBroken === null) {
    print(
      `The journal is intact: ${answer.entries === 1 ? '1 entry' : `${answer.entries} entries`}, head ${answer.head.seq}:${answer.head.hash}`,
    );
    if ('compared' in answer) {
      print(`Compared with what you know of it: ${formatCount(answer.compared, 'place')}.`);
      if (answer.unsigned > 0)
        print(
          `${formatCount(answer.unsigned, 'commit')} without the journal's signature: worth no more than git's history.`,
        );
    } else if (answer.checkpoints.unknown > 0)
      print(`${formatCount(answer.checkpoints.unknown, 'checkpoint')} by a key that the server was not told to trust.`);
  }
  if (answer.firstBroken === null) return;
  printError(`The journal is broken at entry ${answer.firstBroken.seq}: ${answer.firstBroken.reason}`);
  process.exitCode = 1;
}

interface LocalAudit {
  readonly intact: boolean;
  readonly entries: number;
  readonly head: { readonly seq: number; readonly hash: string };
  readonly firstBroken: ChainBreak | null;
  /** Heads, commits and checkpoints that were held against the entries. */
  readonly compared: number;
  /** Commits among them without the journal's signature. */
  readonly unsigned: number;
}

async function auditLocally(connection: ConnectionOptions, options: VerifyOptions): Promise<LocalAudit> {
  const client = options.file === undefined || options.key === undefined ? await connect(connection) : undefined;
  const { landmarks, forged, unsigned } = await readLandmarks(
    options,
    async () => options.key ?? (await serverKey(client)),
  );
  const audit = new ChainAudit();
  let broken: ChainBreak | undefined = forged;
  for await (const page of pages(options.file, client)) broken ??= audit.read(page, landmarks);
  broken ??= audit.end(landmarks);
  const { position } = audit;
  return {
    intact: broken === undefined,
    entries: position.seq,
    head: position,
    firstBroken: broken ?? null,
    compared: landmarks.length,
    unsigned,
  };
}

/** What the caller knows of the journal. Throws when it is not what the option asks for. */
async function readLandmarks(
  { head, commits, checkpoint: kept }: VerifyOptions,
  key: () => Promise<string>,
): Promise<{ landmarks: Anchor[]; forged: ChainBreak | undefined; unsigned: number }> {
  const heads = head.map((text) => {
    const landmark = headAnchor(text);
    if (!landmark) throw new Error(`--head ${text}: must be <seq>:<hash>, as \`guildbook journal verify\` prints it`);
    return landmark;
  });
  const fromCommits = commits === undefined ? undefined : commitAnchors(await textOf(commits), await key());
  if (fromCommits?.anchors.length === 0)
    throw new Error('--commits: no commit in it names a journal entry; give it the output of `git log --format=%B`');
  const note = kept === undefined ? undefined : checkpointAnchor(await textOf(kept), await key());
  if (kept !== undefined && !note) throw new Error("--checkpoint: is not a checkpoint signed by the journal's key");
  return {
    landmarks: [...heads, ...(fromCommits?.anchors ?? []), ...(note ? [note] : [])],
    forged: fromCommits?.forged,
    unsigned: fromCommits?.unsigned ?? 0,
  };
}

async function serverKey(client: Guildbook | undefined): Promise<string> {
  if (!client) throw new Error('--key is needed where there is no server to ask');
  return (await client.journal.checkpoint()).verifierKey;
}

async function* pages(file: string | undefined, client: Guildbook | undefined): AsyncGenerator<StoredEntry[]> {
  if (file === undefined) {
    if (client) yield* client.journal.export();
    return;
  }
  let page: StoredEntry[] = [];
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    page.push(parseEntry(line, `--file: line ${number} is no journal entry`));
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
    throw new Error(otherwise);
  }
}

async function checkpoint(options: ConnectionOptions): Promise<void> {
  const answer = await (await connect(options)).journal.checkpoint();
  if (options.json) return printJson(answer);
  process.stdout.write(answer.note);
}

async function prove(options: ConnectionOptions, seq: number, given: string | undefined): Promise<void> {
  const proof = await (await connect(options)).journal.prove(seq);
  const key = given ?? proof.checkpoint.verifierKey;
  const proven = isProven(proof, key);
  if (options.json) printJson({ proven, key, ...proof });
  else if (proven)
    print(
      `Entry ${seq} (${proof.entry.action}) is under the head that ${key.split('+')[0]} signed at ${proof.checkpoint.size}.`,
    );
  if (proven) return;
  printError(`The proof for entry ${seq} does not hold.`);
  process.exitCode = 1;
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
  if (file !== undefined) await writeFile(file, '');
  for await (const page of client.journal.export()) {
    const text = page.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    if (file === undefined) process.stdout.write(text);
    else await writeFile(file, text, { flag: 'a' });
    count += page.length;
  }
  if (file !== undefined) print(`${count === 1 ? '1 entry' : `${count} entries`} in ${file}`);
}

async function textOf(file: string): Promise<string> {
  if (file !== '-') return readFile(file, 'utf8');
  let text = '';
  for await (const chunk of process.stdin) text += chunk;
  return text;
}
