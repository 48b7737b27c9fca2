import type { RecallableMemory } from '../../memory/store/recallable-memory.js';

/** The text of a memory for its vector. The discovery comes first, since embedders truncate long texts. */
export function embeddedText({ lesson, skillName }: Pick<RecallableMemory, 'lesson' | 'skillName'>): string {
  const { condition, action, rationale } = lesson.activation;
  return [lesson.discovery, skillName ?? '', condition, action, rationale, ...lesson.steps]
    .filter((part) => part !== '')
    .join('\n');
}
