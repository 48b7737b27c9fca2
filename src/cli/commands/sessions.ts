import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { type Guildbook, GuildbookError } from '../../client/guildbook.js';
import { present } from '../../platform/base/optional.js';
import {
  ENTRY_KINDS,
  type EntryKind,
  type SessionEntry,
  type SessionMemory,
  type SessionOverview,
} from '../../sessions/entries/session-memory.schema.js';
import type { StoredEntry } from '../../sessions/store/stored-session.schema.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { CliError, EXIT, invalidArgument } from '../terminal/cli-error.js';
import { givenPath } from '../terminal/command-process.js';
import { formatCount, type OutputOptions, oneLine, print, printJson, table } from '../terminal/terminal.js';

interface SearchOptions extends FolderOption {
  readonly kind?: EntryKind;
  readonly tag?: string;
  readonly limit: string;
}

/** Never read from a file of the project: a repository could then choose the folder that is read. */
const DEFAULT_FOLDER = '.guildbook';
const SHORTEST_BEGINNING = 4;

export function sessionCommands(program: Command): void {
  const output = () => program.opts<OutputOptions>();
  const sessions = program.command('sessions').description('the session memory in a folder of this machine');
  const add = (words: string, description: string, isDefault = false): Command =>
    sessions
      .command(words, { isDefault })
      .description(description)
      .option('--folder <folder>', 'the folder of the memory', DEFAULT_FOLDER)
      .option('--project <project>', 'only sessions of this project, and those without one');
  add('list', 'list the sessions, newest first', true).action((options: FolderOption) => list(output(), options));
  add('show <session>', 'show the entries of a session, by its file, its id or the beginning of its id').action(
    (session: string, options: FolderOption) => show(output(), session, options),
  );
  add('preamble', 'show what a session receives at its start').action((options: FolderOption) =>
    preamble(output(), options),
  );
  add('push', 'send the entries to the memory of an agent of yours on the server; what you edited is yours there')
    .requiredOption('--agent <name>', 'the agent')
    .action((options: PushOptions) => pushSessions(program.opts<ConnectionOptions>(), options));
  add('search <words...>', 'find entries by their words')
    .addOption(new Option('--kind <kind>', 'only entries of this kind').choices(ENTRY_KINDS))
    .option('--tag <tag>', 'only entries with this tag')
    .option('--limit <n>', 'maximum number of entries', '10')
    .action((words: string[], options: SearchOptions) => search(output(), words.join(' '), options));
}

async function list({ json }: OutputOptions, options: FolderOption): Promise<void> {
  const memory = await openMemory(options);
  const items = await memory.sessions();
  if (json) return printJson({ items, problems: memory.problems() });
  if (items.length === 0) return printEmpty(options);
  print(
    table(
      ['date', 'session', 'entries', 'tags', 'summary'],
      items.map((one) => [dayOf(one), nameOf(one), one.entries, one.tags.join(' '), one.summary]),
    ),
  );
  printProblems(memory);
}

async function show({ json }: OutputOptions, given: string, options: FolderOption): Promise<void> {
  const memory = await openMemory(options);
  const found = matching(await memory.sessions(), given);
  const entries = await memory.read(found?.session ?? given);
  if (entries.length === 0)
    throw new CliError(
      ...([EXIT.notFound, 'session.not_found', `There is no session ${oneLine(given)} in ${options.folder}.`] as const),
      `To list them: guildbook sessions list --folder ${options.folder}`,
    );
  if (json) return printJson({ session: found ?? null, entries });
  for (const entry of entries) printEntry(entry);
}

async function preamble({ json }: OutputOptions, options: FolderOption): Promise<void> {
  const text = await (await openMemory(options)).preamble();
  if (json) return printJson({ preamble: text, bytes: Buffer.byteLength(text) });
  if (text === '') return printEmpty(options);
  print(text);
}

async function search({ json }: OutputOptions, query: string, { limit, ...options }: SearchOptions): Promise<void> {
  if (!/^\d{1,4}$/.test(limit)) throw invalidArgument('--limit must be a whole number.');
  const memory = await openMemory(options);
  const { kind, tag } = options;
  const hits = await memory.recall(query, {
    limit: Number(limit),
    ...present({ kinds: kind && [kind], tags: tag === undefined ? undefined : [tag] }),
  });
  if (json) return printJson({ items: hits });
  if (hits.length === 0) return print(`No entry in ${options.folder} matches.`);
  print(
    table(
      ['date', 'kind', 'by', 'session', 'text'],
      hits.map((hit) => [dayOf(hit), hit.kind, writerOf(hit), nameOf(hit), hit.summary]),
    ),
  );
}

/** A session by the name of its file, its path, its id, or an unmistakable beginning of the id. */
function matching(all: readonly SessionOverview[], given: string): SessionOverview | undefined {
  const exact = all.find(
    (one) => [one.session, one.path, nameOf(one)].includes(given.replace(/\.md$/, '')) || one.path === given,
  );
  if (exact !== undefined || given.length < SHORTEST_BEGINNING) return exact;
  const candidates = all.filter(({ session }) => session.startsWith(given));
  if (candidates.length > 1)
    throw new CliError(
      EXIT.usage,
      'session.ambiguous',
      `${formatCount(candidates.length, 'session')} begin with this.`,
    );
  return candidates[0];
}

function printEntry(entry: SessionEntry): void {
  const tags = entry.tags.length === 0 ? '' : `  #${entry.tags.join(' #')}`;
  print(oneLine(`${entry.kind}  ${entry.at ?? 'undated'}  ${writerOf(entry)}${tags}`), 'bold');
  for (const line of entry.content.split('\n')) print(`  ${oneLine(line)}`);
}

function printProblems(memory: SessionMemory): void {
  for (const { path, problem, skipped } of memory.problems())
    print(oneLine(`Not read: ${path} (${problem.replaceAll('_', ' ')}${skipped === undefined ? '' : `, ${skipped}`})`));
}

function printEmpty({ folder }: FolderOption): void {
  print(
    `There is no session memory in ${oneLine(folder)}. An agent that uses guildbook/sessions writes it; --folder names another.`,
  );
}

const dayOf = ({ at }: { readonly at?: string }): string => at?.slice(0, 10) ?? '';
const nameOf = ({ path, session }: { readonly path?: string; readonly session?: string }): string =>
  path === undefined ? (session ?? '') : basename(path, '.md');
const writerOf = ({ provenance: { by, name } }: Pick<SessionEntry, 'provenance'>): string =>
  name === undefined ? by : `${by} ${name}`;

interface FolderOption {
  readonly folder: string;
  readonly project?: string;
}

interface PushOptions extends FolderOption {
  readonly agent: string;
}

type Pushed = 'added' | 'edited' | 'known' | 'ended';

/** Refusals that leave the rest of a folder to be sent. */
const ENDED: readonly string[] = ['memory.entry_ended', 'memory.summary_edited'];

/** The memory in a folder. Loads the rules of redaction and of summaries, which no other command needs. */
async function openMemory({ folder, project }: FolderOption): Promise<SessionMemory> {
  const { openSessionMemory } = await import('../../session-stores/sessions.js');
  return openSessionMemory({ folder: givenPath(folder), readOnly: true, ...present({ project }) });
}

/**
 * Sends the entries of a folder to the memory of an agent on the server. What the server has is not sent again; an entry
 * that a person edited in its file replaces the one that the server has, as the person's.
 */
async function pushSessions(connection: ConnectionOptions, options: PushOptions): Promise<void> {
  const { agent } = options;
  const memory = await openMemory(options);
  const sessions = await memory.sessions();
  const client = await connect(connection);
  const counts: Record<Pushed, number> = { added: 0, edited: 0, known: 0, ended: 0 };
  for (const { session } of sessions.reverse()) {
    const { items } = await client.sessionMemory.read(session, { agent });
    for (const entry of await memory.read(session)) counts[await push(client, agent, session, entry, items)] += 1;
  }
  if (connection.json) return printJson({ agent, sessions: sessions.length, ...counts });
  const { added, edited, known, ended } = counts;
  print(
    oneLine(
      `${formatCount(sessions.length, 'session')} of ${agent}: ${added} added, ${edited} edited, ${known} known, ${ended} ended on the server.`,
    ),
  );
}

async function push(
  client: Guildbook,
  agent: string,
  sessionId: string,
  entry: SessionEntry,
  stored: readonly StoredEntry[],
): Promise<Pushed> {
  const { kind, content, tags, pinned, provenance, at, project, figures } = entry;
  if (stored.some((one) => isSame(one, entry))) return 'known';
  try {
    const before = provenance.by === 'person' ? stored.find((one) => one.kind === kind && one.at === at) : undefined;
    if (before) {
      await client.sessionMemory.edit(before.id, { content, tags: [...tags] });
      return 'edited';
    }
    await client.sessionMemory.save({
      kind,
      content,
      tags: [...tags],
      pinned,
      // Whom the file names is not known to be true: what is a person's is stored as that of the person who pushes.
      provenance: provenance.by === 'person' ? { by: 'person' } : provenance,
      sessionId,
      agent,
      ...present({ at, project, figures }),
    });
    return 'added';
  } catch (error) {
    if (error instanceof GuildbookError && ENDED.includes(error.problem.code)) return 'ended';
    throw error;
  }
}

const isSame = (stored: StoredEntry, { kind, content, tags }: SessionEntry): boolean =>
  stored.kind === kind &&
  stored.content === content &&
  [...stored.tags].sort().join(' ') === [...tags].sort().join(' ');
