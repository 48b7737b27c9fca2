import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { compareText } from '../../platform/base/compare-text.js';
import { invalidArgument } from '../terminal/cli-error.js';
import { givenPath } from '../terminal/command-process.js';
import { eventsSource, isOpenCodeStorage, OPENHANDS_STATE, openCodeSources } from './record-folders.js';
import { expectedContent, readFailure, type Source } from './source.js';

const SUBAGENTS = 'subagents';
const GEMINI_CHATS = 'chats';
/** Databases in which programs keep sessions. They are named, because they are not read. */
const DATABASE = /[\\/](?:opencode[\w-]{0,40}\.db|state\.vscdb|chats[\\/].{1,500}[\\/]store\.db)$/;
const DATABASE_REASON = 'a database of sessions; export them from the program';
/** Folders that hold no transcripts of their own, and many files. */
const NOT_ENTERED: ReadonlySet<string> = new Set(['node_modules', '.git']);

/** What the given paths hold. */
export interface FoundFiles {
  /** Each once, sorted, those of sub-agents last. */
  readonly sources: readonly Source[];
  /** What cannot be read, with the reason. */
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
  /** Folders that were not entered, by name. */
  readonly notEntered: Readonly<Record<string, number>>;
}

class Findings {
  readonly sources = new Map<string, Source>();
  readonly unread = new Map<string, string>();
  readonly notEntered = new Map<string, number>();
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
  };
}

/** The source that one file is. */
export async function fileSource(path: string): Promise<Source> {
  const facts = await stat(path).catch(() => undefined);
  return { kind: 'file', path, files: [path], bytes: facts?.size ?? 0 };
}

/** The session whose folder holds the file of a sub-agent, of Claude Code or of Gemini CLI. */
export function parentSessionOf(file: string): string | undefined {
  const folder = dirname(file);
  if (basename(folder) === SUBAGENTS) return basename(dirname(folder));
  return basename(dirname(folder)) === GEMINI_CHATS ? basename(folder) : undefined;
}

async function findBelow(root: string, found: Findings): Promise<void> {
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (found.seenFolders.has(folder)) continue;
    found.seenFolders.add(folder);
    const inner = await entriesOf(folder, found);
    const names = new Set(inner.map(({ name }) => name));
    if (found.anyFormat && isOpenCodeStorage(folder, names)) {
      for (const source of await openCodeSources(folder)) found.sources.set(source.path, source);
      continue;
    }
    const events = found.anyFormat ? await eventsSource(folder, [...names]) : undefined;
    if (events !== undefined) found.sources.set(events.path, events);
    for (const entry of inner) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!NOT_ENTERED.has(entry.name)) folders.push(path);
        else found.notEntered.set(entry.name, (found.notEntered.get(entry.name) ?? 0) + 1);
      } else if (events?.files.includes(path) !== true) await findEntry(path, entry, root, found);
    }
  }
}

async function findEntry(path: string, entry: Entry, root: string, found: Findings): Promise<void> {
  if (found.anyFormat && DATABASE.test(path)) {
    found.unread.set(path, DATABASE_REASON);
    return;
  }
  const content = expectedContent(entry.name, found.anyFormat);
  if (entry.isSymbolicLink()) {
    const target = await realpath(path).catch(() => undefined);
    const isBelow = target !== undefined && !relative(root, target).startsWith(`..${sep}`);
    // The target of a link within the folder is found itself.
    if (content !== 'other' && !isBelow)
      found.unread.set(path, target === undefined ? 'broken symbolic link' : 'symbolic link out of the folder');
    return;
  }
  if (content === 'other') return;
  if (!entry.isFile()) {
    found.unread.set(path, 'not a regular file');
    return;
  }
  const facts = await stat(path).catch(() => undefined);
  addFile(found, path, facts?.size ?? 0, content === 'any');
}

function addFile(found: Findings, path: string, bytes: number, isOfAnyContent = false): void {
  if (found.sources.get(path)?.isOfAnyContent === false) return;
  found.sources.set(path, { kind: 'file', path, files: [path], bytes, isOfAnyContent });
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
