import type { ChainEntry } from '../journal/chain.js';

/** Bounds of one message. One entry is always sent, however long it is. */
export const MAX_ENTRIES = 200;
const MAX_LENGTH = 256 * 1_024;

/** One line of the journal as `guildbook journal export` writes it. */
export const entryLine = (entry: ChainEntry): string => `${JSON.stringify(entry)}\n`;

/** The first entries that fit into one message. */
export function firstBatch(entries: readonly ChainEntry[]): readonly ChainEntry[] {
  let length = 0;
  const end = entries.findIndex((entry, index) => {
    length += entryLine(entry).length;
    return index >= MAX_ENTRIES || (index > 0 && length > MAX_LENGTH);
  });
  return end === -1 ? entries : entries.slice(0, end);
}

/** The body of a message. The same entries make the same bytes, so that a repetition is recognised. */
export const messageOf = (streamId: string, entries: readonly ChainEntry[]): string =>
  JSON.stringify({ type: 'journal.entries', stream: streamId, entries });

/** The `webhook-id` of a message: the same for the same entries. */
export const messageId = (streamId: string, entries: readonly ChainEntry[]): string =>
  `${streamId}.${entries[0]?.seq ?? 0}-${entries.at(-1)?.seq ?? 0}`;
