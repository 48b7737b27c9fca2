import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { compareText } from '../../platform/base/compare-text.js';
import type { Source } from './source.js';

/** A file of OpenHands holds one event; its number is its place. The short form is older, and of its own folder only. */
const EVENT_FILE = /^event-(\d{5,10})-[\w-]{1,100}\.json$/;
const OLDER_EVENT_FILE = /^(\d{1,9})\.json$/;
const EVENTS = 'events';
/** What OpenHands knows of a conversation as a whole, beside the folder of its events. */
export const OPENHANDS_STATE = 'base_state.json';
const SESSION_FILE = /^ses_\w{1,100}\.json$/;

/** A conversation of OpenHands, if the folder holds the numbered files of its events. */
export async function eventsSource(folder: string, names: readonly string[]): Promise<Source | undefined> {
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
export const isOpenCodeStorage = (folder: string, names: ReadonlySet<string>): boolean =>
  basename(folder) === 'storage' && ['session', 'message', 'part'].every((name) => names.has(name));

/** One source for each `session/<project>/ses_….json` in the storage. */
export async function openCodeSources(storage: string): Promise<Source[]> {
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
