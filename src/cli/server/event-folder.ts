import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseJson } from '../../platform/base/parse-json.js';

/** A file with one event of OpenHands: `event-00012-<id>.json`, and `12.json` before its version 1. */
const EVENT_FILE = /^(?:event-(\d{5,9})-[\w-]{1,80}|(\d{1,9}))\.json$/;
const EVENTS = 'events';
const STATE = 'base_state.json';

/** The conversation that has one event in each file of its folder `events`. */
export const conversationOf = (file: string): string | undefined =>
  basename(dirname(file)) === EVENTS && EVENT_FILE.test(basename(file)) ? dirname(dirname(file)) : undefined;

/** Each file once, but of the events of a conversation only the first, and no state of one. `files`: sorted. */
export function withoutOtherEvents(files: readonly string[]): string[] {
  const conversations = new Set(files.flatMap((file) => conversationOf(file) ?? []));
  const seen = new Set<string>();
  return files.filter((file) => {
    const conversation = conversationOf(file);
    if (conversation === undefined) return basename(file) !== STATE || !conversations.has(dirname(file));
    if (seen.has(conversation)) return false;
    seen.add(conversation);
    return true;
  });
}

/**
 * The state and the events of a conversation, one a line, in their order, as far as they fit into `maxBytes`; undefined if
 * they do not. An unreadable file is one unreadable line.
 */
export async function readConversation(folder: string, maxBytes: number): Promise<string | undefined> {
  const names = (await readdir(join(folder, EVENTS))).filter((name) => EVENT_FILE.test(name));
  const events = names.sort((a, b) => numberOf(a) - numberOf(b)).map((name) => join(folder, EVENTS, name));
  const state = await stat(join(folder, STATE)).catch(() => undefined);
  const files = state?.isFile() === true ? [join(folder, STATE), ...events] : events;
  const lines: string[] = [];
  let bytes = 0;
  for (const file of files) {
    const facts = await stat(file);
    bytes += facts.isFile() ? facts.size : 0;
    if (bytes > maxBytes) return undefined;
    if (facts.isFile()) lines.push(onOneLine(await readFile(file, 'utf8')));
  }
  return lines.join('\n');
}

function numberOf(name: string): number {
  const [, later, earlier] = EVENT_FILE.exec(name) ?? [];
  return Number(later ?? earlier ?? 0);
}

function onOneLine(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text.replaceAll('\n', ' ') : JSON.stringify(value);
}
