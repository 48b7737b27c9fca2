import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { compareText } from '../../platform/base/compare-text.js';
import { invalidArgument } from '../terminal/cli-error.js';
import { givenPath } from '../terminal/command-process.js';
import { mayBeTranscript, readFailure, type Source, unreadableReason } from './source.js';

const SUBAGENTS = 'subagents';
const GEMINI_CHATS = 'chats';
/** Folders that hold no transcripts of their own, and many files. */
const NOT_ENTERED: ReadonlySet<string> = new Set(['node_modules', '.git']);
/** Anyone with write access to its repository made its files. */
const CHECKOUT = 'with a checkout of git';
const HOME_REASON = 'in a home, where no product keeps sessions';

/** What the given paths hold. */
export interface FoundFiles {
  /** Each once, sorted, those of sub-agents last. */
  readonly sources: readonly Source[];
  /** What cannot be read, with the reason. */
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
  /** Folders that were not entered, by name. */
  readonly notEntered: Readonly<Record<string, number>>;
  /** Files, and whole folders of a home, that a scan leaves out, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
}

class Findings {
  readonly sources = new Map<string, Source>();
  readonly unread = new Map<string, string>();
  readonly notEntered = new Map<string, number>();
  readonly leftOut = new Map<string, number>();
  readonly seenFolders = new Set<string>();

  constructor(readonly anyFormat: boolean) {}
}

/**
 * The transcripts in the given files and folders, each once. A file that is named is read under any name; in folders the
 * name decides (with `anyFormat` not only `.jsonl`). A path that is named may be a symbolic link; links in folders are
 * not followed. Throws if a path does not exist.
 */
export async function transcriptFiles(paths: readonly string[], anyFormat = false): Promise<FoundFiles> {
  const found = new Findings(anyFormat);
  for (const path of paths) {
    const real = await realpath(givenPath(path)).catch(() => undefined);
    if (real === undefined) throw invalidArgument(`No such file or folder: ${path}`);
    const facts = await stat(real);
    if (facts.isDirectory()) await findBelow(real, found);
    else if (facts.isFile()) addFile(found, real, facts.size);
    else found.unread.set(real, 'not a regular file');
  }
  for (const { kind, path } of [...found.sources.values()])
    if (kind === 'events') found.sources.delete(join(path, OPENHANDS_STATE));
  const isSubagent = ({ path }: Source): boolean => parentSessionOf(path) !== undefined;
  return {
    sources: [...found.sources.values()].sort(
      (a, b) => Number(isSubagent(a)) - Number(isSubagent(b)) || compareText(a.path, b.path),
    ),
    unread: [...found.unread].map(([file, reason]) => ({ file, reason })),
    notEntered: Object.fromEntries(found.notEntered),
    leftOut: Object.fromEntries(found.leftOut),
  };
}

/** The source that one file is. */
export async function fileSource(path: string): Promise<Source> {
  const facts = await stat(path).catch(() => undefined);
  return { kind: 'file', path, files: [path], bytes: facts?.size ?? 0 };
}

/** The session whose folder holds the file of a sub-agent at any depth, of Claude Code or of Gemini CLI. */
export function parentSessionOf(file: string): string | undefined {
  const folders = dirname(file).split(sep);
  const subagents = folders.lastIndexOf(SUBAGENTS);
  if (subagents > 0) return folders[subagents - 1];
  return folders.at(-2) === GEMINI_CHATS ? folders.at(-1) : undefined;
}

async function findBelow(root: string, found: Findings): Promise<void> {
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (found.seenFolders.has(folder)) continue;
    found.seenFolders.add(folder);
    const inner = await entriesOf(folder, found);
    const names = new Set(inner.map(({ name }) => name));
    const ofProducts = await productFolders(folder, names);
    if (ofProducts.length > 0) {
      // What else lies in a person's home can be anyone's text.
      const heads = new Set(ofProducts.map((name) => name.split('/')[0]));
      increase(found.leftOut, HOME_REASON, inner.filter(({ name }) => !heads.has(name)).length);
      folders.push(...ofProducts.map((name) => join(folder, name)));
    } else if (folder !== root && names.has('.git')) increase(found.notEntered, CHECKOUT);
    else folders.push(...(await findIn(folder, inner, root, found)));
  }
}

/** Finds the sessions in one folder. Returns the folders in it that are searched too. */
async function findIn(folder: string, inner: readonly Entry[], root: string, found: Findings): Promise<string[]> {
  const names = inner.map(({ name }) => name);
  if (found.anyFormat && isOpenCodeStorage(folder, new Set(names))) {
    for (const source of await openCodeSources(folder)) found.sources.set(source.path, source);
    return [];
  }
  const mayHoldEvents = found.anyFormat && leftOutReason(join(folder, 'x')) === undefined;
  const events = mayHoldEvents ? await eventsSource(folder, names) : undefined;
  if (events !== undefined) found.sources.set(events.path, events);
  const deeper: string[] = [];
  for (const entry of inner) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (NOT_ENTERED.has(entry.name)) increase(found.notEntered, entry.name);
      else deeper.push(path);
    } else if (events?.files.includes(path) !== true) await findEntry(path, entry, root, found);
  }
  return deeper;
}

/** The folders of products in a person's home; none in any other folder. */
async function productFolders(folder: string, names: ReadonlySet<string>): Promise<string[]> {
  const possible = PRODUCT_FOLDERS.filter((name) => names.has(name.split('/')[0] ?? ''));
  const facts = await Promise.all(possible.map((name) => stat(join(folder, name)).catch(() => undefined)));
  return possible.filter((_, n) => facts[n]?.isDirectory() === true);
}

async function findEntry(path: string, entry: Entry, root: string, found: Findings): Promise<void> {
  const reason = leftOutReason(path);
  if (reason !== undefined) {
    increase(found.leftOut, reason);
    return;
  }
  const cannot = found.anyFormat ? unreadableReason(path) : undefined;
  if (cannot !== undefined) {
    found.unread.set(path, cannot);
    return;
  }
  const mayBe = mayBeTranscript(entry.name, found.anyFormat);
  if (entry.isSymbolicLink()) {
    const target = await realpath(path).catch(() => undefined);
    const isBelow = target !== undefined && !relative(root, target).startsWith(`..${sep}`);
    // The target of a link within the folder is found itself.
    if (mayBe && !isBelow)
      found.unread.set(path, target === undefined ? 'broken symbolic link' : 'symbolic link out of the folder');
    return;
  }
  if (!mayBe) increase(found.leftOut, 'no transcript by its name; a file that is named is read');
  else if (!entry.isFile()) found.unread.set(path, 'not a regular file');
  else addFile(found, path, (await stat(path).catch(() => undefined))?.size ?? 0);
}

function addFile(found: Findings, path: string, bytes: number): void {
  found.sources.set(path, { kind: 'file', path, files: [path], bytes });
}

function increase(counts: Map<string, number>, key: string, by = 1): void {
  if (by > 0) counts.set(key, (counts.get(key) ?? 0) + by);
}

interface Entry {
  readonly name: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

async function entriesOf(folder: string, found: Findings): Promise<Entry[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const reason = readFailure(error);
    if (reason === undefined) throw error;
    found.unread.set(folder, reason);
    return [];
  }
}

/** A file of OpenHands holds one event; its number is its place. The short form is older, and of its own folder only. */
const EVENT_FILE = /^event-(\d{5,10})-[\w-]{1,100}\.json$/;
const OLDER_EVENT_FILE = /^(\d{1,9})\.json$/;
const EVENTS = 'events';
/** What OpenHands knows of a conversation as a whole, beside the folder of its events. */
const OPENHANDS_STATE = 'base_state.json';
const SESSION_FILE = /^ses_\w{1,100}\.json$/;

/** A conversation of OpenHands, if the folder holds the numbered files of its events. */
async function eventsSource(folder: string, names: readonly string[]): Promise<Source | undefined> {
  const isOfEvents = basename(folder) === EVENTS;
  const numberOf = (name: string) =>
    Number((EVENT_FILE.exec(name) ?? (isOfEvents ? OLDER_EVENT_FILE.exec(name) : null))?.[1] ?? Number.NaN);
  const events = names
    .filter((name) => !Number.isNaN(numberOf(name)))
    .sort((a, b) => numberOf(a) - numberOf(b))
    .map((name) => join(folder, name));
  if (events.length === 0) return undefined;
  const path = isOfEvents ? dirname(folder) : folder;
  const state = join(path, OPENHANDS_STATE);
  const hasState = (await lstat(state).catch(() => undefined))?.isFile() === true;
  const files = hasState ? [state, ...events] : events;
  return { kind: 'events', path, files, bytes: await sizeOf(files) };
}

/** `~/.local/share/opencode/storage`, as OpenCode kept its sessions before it had a database. */
const isOpenCodeStorage = (folder: string, names: ReadonlySet<string>): boolean =>
  basename(folder) === 'storage' && ['session', 'message', 'part'].every((name) => names.has(name));

/** One source for each `session/<project>/ses_….json` in the storage. */
async function openCodeSources(storage: string): Promise<Source[]> {
  const sessions = join(storage, 'session');
  const sources: Source[] = [];
  for (const project of await namesIn(sessions))
    for (const name of await namesIn(join(sessions, project)))
      if (SESSION_FILE.test(name)) sources.push(await openCodeSource(storage, join(sessions, project, name)));
  return sources;
}

/** `files`: that of the session, and each message with its parts after it. */
async function openCodeSource(storage: string, path: string): Promise<Source> {
  const messages = join(storage, 'message', basename(path, '.json'));
  const files = [path];
  for (const message of await namesIn(messages)) {
    const parts = join(storage, 'part', basename(message, '.json'));
    files.push(join(messages, message), ...(await namesIn(parts)).map((part) => join(parts, part)));
  }
  return { kind: 'opencode', path, files, bytes: await sizeOf(files) };
}

/** Ids of OpenCode begin with their time, so that their order is that of the records. */
const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch((): string[] => [])).sort(compareText);

async function sizeOf(files: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const file of files) bytes += (await stat(file).catch(() => undefined))?.size ?? 0;
  return bytes;
}

/** Where a product keeps its sessions, below the folder that it keeps everything in. */
interface Place {
  readonly product: string;
  /** Ends behind the product's folder. A worktree that a product makes there is a project's, not the product's. */
  readonly home: RegExp;
  readonly sessions: RegExp;
}

const PACKED = String.raw`(?:\.gz|\.zst)?`;
const AGENT_FILE = String.raw`[^/]+/subagents/(?:[^/]+/){0,8}agent-[^/]+\.jsonl${PACKED}`;
const CLAUDE_SESSION = String.raw`(?:[^/]+\.jsonl${PACKED}|${AGENT_FILE})`;
/** Claude Code's folder of a project: its path with every separator as a hyphen. */
const PROJECT_FOLDER = '(?:-|[A-Za-z]--)[^/]*';

const PLACES: readonly Place[] = [
  {
    product: 'Claude Code',
    home: /\/\.claude\/(?!worktrees\/)/,
    sessions: new RegExp(`^projects/[^/]+/${CLAUDE_SESSION}$`),
  },
  {
    product: 'Codex',
    home: /\/\.codex\/(?!worktrees\/)/,
    sessions: new RegExp(String.raw`^(?:archived_)?sessions/(?:[^/]+/){0,8}rollout-[^/]+\.jsonl?${PACKED}$`),
  },
  {
    product: 'Gemini CLI',
    home: /\/\.gemini\//,
    sessions: new RegExp(String.raw`^tmp/[^/]+/chats/(?:[^/]+/)?[^/]+\.jsonl?${PACKED}$`),
  },
  {
    product: 'OpenCode',
    home: /\/(?:share|Application Support)\/opencode\//,
    sessions: /^(?:(?:project\/[^/]+\/)?storage\/(?:session|message|part)\/|[^/]+\.db$)/,
  },
  {
    product: 'Copilot CLI',
    home: /\/\.copilot\//,
    sessions: /^(?:history-)?session-state\/(?:[^/]+\/events\.jsonl|[^/]+\.jsonl?)$/,
  },
  { product: 'Cursor', home: /\/\.cursor\//, sessions: /^(?:projects\/[^/]+\/agent-transcripts|chats)\// },
  {
    product: 'Claude Code',
    // what an agent writes to its scratch folder is its own
    home: new RegExp(`/${PROJECT_FOLDER}/(?![^/]+/scratchpad/)`),
    sessions: new RegExp(`^${CLAUDE_SESSION}$`),
  },
];

/** From the home of a person, the folders in which products keep sessions. */
export const PRODUCT_FOLDERS: readonly string[] = [
  '.claude/projects',
  '.codex/sessions',
  '.codex/archived_sessions',
  '.gemini/tmp',
  '.copilot/session-state',
  '.cursor/projects',
  '.local/share/opencode',
  'Library/Application Support/opencode',
];

/** Folders in which products keep what calls printed. Their text can be anyone's, so it is never a session. */
const PRINTED: ReadonlySet<string> = new Set(
  ['result', 'results', 'output', 'outputs'].flatMap((name) => [`tool-${name}`, `tool_${name}`]),
);
const PRINTED_REASON = 'printed by a call';

const isPrintedFolder = (name: string): boolean => PRINTED.has(name.toLowerCase());

/**
 * Why a folder scan leaves a file out: its text can be anyone's. Undefined for a session in its product's place, and for
 * a file in no product's folder.
 */
export function leftOutReason(path: string): string | undefined {
  const normal = path.replaceAll('\\', '/');
  if (normal.split('/').slice(0, -1).some(isPrintedFolder)) return PRINTED_REASON;
  for (const { product, home, sessions } of PLACES) {
    const found = home.exec(normal);
    if (found === null) continue;
    const rest = normal.slice(found.index + found[0].length);
    return sessions.test(rest) ? undefined : `where ${product} keeps no sessions`;
  }
  return undefined;
}
