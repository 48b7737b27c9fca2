import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { present } from '../../platform/base/optional.js';
import {
  ENTRY_KINDS,
  type EntryKind,
  type SessionEntry,
  type SessionMemory,
  type SessionOverview,
} from '../../sessions/entries/session-memory.schema.js';
import type { ConnectionOptions } from '../server/session.js';
import { CliError, invalidArgument } from '../terminal/cli-error.js';
import { EXIT } from '../terminal/exit-codes.js';
import { formatCount, type OutputOptions, oneLine, print, printJson, table } from '../terminal/terminal.js';
import { type FolderOption, openMemory, type PushOptions, pushSessions } from './sessions-push.js';

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
