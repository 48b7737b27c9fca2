import type { RecallableMemory } from '../../memory/store/recallable-memory.js';

/** What of a memory is turned into a vector: what it is about first, since embedders cut long texts. */
export function embeddedText({ lesson, skillName }: Pick<RecallableMemory, 'lesson' | 'skillName'>): string {
  const { condition, action, rationale } = lesson.activation;
  return [lesson.discovery, skillName ?? '', condition, action, rationale, ...lesson.steps]
    .filter((part) => part !== '')
    .join('\n');
}
