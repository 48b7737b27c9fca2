import type { Provenance } from '../../memory/store/lesson.schema.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { sumBy } from '../../platform/base/sum.js';
import { fieldsOf, type Renderable, renderRecords } from './rendering.js';
import { estimateTokens, TOKENS_OF_A_MESSAGE } from './token-estimate.js';

/** The nonce of the most tokens. */
const WIDEST_NONCE = '0'.repeat(32);
/** Age of a note in the count: the longest text that an age has within 27 years. */
const LONGEST_AGE_MS = 9_999 * DAY_MS;
const PROVENANCES = ['verified', 'unverified', 'unavailable_at_write_time'] as const satisfies readonly Provenance[];

/**
 * Returns the most tokens that the core block takes in a context: the rules about memories, the tags, and each note as
 * the fence spells it, with the age and the provenance that it may have later. A block that fits when it is written
 * therefore fits whenever it is delivered.
 */
export function coreTokens(notes: readonly Renderable[]): number {
  return sumBy(
    renderRecords(notes.map(widestRecord), WIDEST_NONCE, 'system'),
    ({ content }) => estimateTokens(content) + TOKENS_OF_A_MESSAGE,
  );
}

/** The record of a note with the provenance and the age that take the most tokens. */
function widestRecord(note: Renderable): Record<string, string> {
  const later = new Date(Date.parse(note.createdAt) + LONGEST_AGE_MS);
  const records = PROVENANCES.map((provenance) => fieldsOf({ ...note, provenance }, later, 'full'));
  const sizes = records.map((record) => estimateTokens(JSON.stringify(record)));
  return records[sizes.indexOf(Math.max(...sizes))] ?? {};
}
