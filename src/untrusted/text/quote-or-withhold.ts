import { type SuspicionKind, suspicions } from './suspicions.js';

/** Kinds that also occur in harmless error texts: worth a hint, but not worth withholding the text. */
const HARMLESS_ALONE: ReadonlySet<SuspicionKind> = new Set([
  'link',
  'hidden-characters',
  'mixed-script',
  // git and package programs name sources in their errors
  'foreign-source',
]);

export const WITHHELD = '(a text that reads like instructions; withheld)';

/**
 * Returns an error text for use in a lesson: unchanged, or withheld if it addresses its reader. Agents read lessons,
 * and repeating such a text would pass a prompt injection on to them.
 */
export function quoteOrWithhold(text: string): string {
  return suspicions(text).some(({ kind }) => !HARMLESS_ALONE.has(kind)) ? WITHHELD : text;
}
