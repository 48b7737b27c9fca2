import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { searchableText } from '../ranking/searchable-text.js';

/** The text of a memory for its vector. The discovery comes first, since embedders truncate long texts. */
export function embeddedText(memory: Pick<RecallableMemory, 'lesson' | 'skillName'>): string {
  const { about, rest } = searchableText(memory);
  return [...about, ...rest].join('\n');
}
