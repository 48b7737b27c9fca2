import type { Tellable } from '../../memory/store/readable.js';

/** What of a memory is turned into a vector: what it is about first, since embedders cut long texts. */
export function embeddedText({ lesson, skillName }: Pick<Tellable, 'lesson' | 'skillName'>): string {
  const { condition, action, rationale } = lesson.activation;
  return [lesson.discovery, skillName ?? '', condition, action, rationale, ...lesson.steps]
    .filter((part) => part !== '')
    .join('\n');
}
