import type { Lesson } from '../memory/store/lesson.schema.js';
import { suspicions } from '../untrusted/text/suspicions.js';

/**
 * Returns whether a memory addresses its reader with an instruction, or turns a protection off. Evidence shows that
 * something worked, not that it should be done, so only a person verifies such a memory. A link alone asks for nothing.
 */
export function readsLikeInstruction({ discovery, activation, steps, tags }: Lesson): boolean {
  const { condition, action, rationale } = activation;
  const text = [discovery, condition, action, rationale, ...steps, ...tags].join('\n');
  return suspicions(text).some(({ kind }) => kind !== 'link');
}
