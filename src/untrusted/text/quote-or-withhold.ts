import { type SuspicionKind, suspicions } from './suspicions.js';

/** Kinds that occur in honest error texts as well: worth a hint, not worth losing the text. */
const HARMLESS_ALONE: ReadonlySet<SuspicionKind> = new Set(['link', 'hidden-characters', 'mixed-script']);

export const WITHHELD = '(a text that reads like instructions; withheld)';

/**
 * An error text as a lesson may repeat it: as it is, or withheld when it speaks to its reader. A lesson is read by
 * agents, and repeating such a text would pass the injection on (threats 4, summarisation as a laundering channel).
 */
export function quoteOrWithhold(text: string): string {
  return suspicions(text).some(({ kind }) => !HARMLESS_ALONE.has(kind)) ? WITHHELD : text;
}
