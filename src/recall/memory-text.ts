import type { Searchable } from '../memory/readable.js';

/** What of a memory is turned into a vector: what it is about first, since embedders cut long texts. */
export function embeddedText({ discovery, skillName, condition, action, rationale, steps }: Searchable): string {
  return [discovery, skillName ?? '', condition, action, rationale, ...steps].filter((part) => part !== '').join('\n');
}
