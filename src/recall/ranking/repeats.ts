import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { withoutPlaceholders } from './searchable-text.js';
import { wordsOf } from './words.js';

export interface Repeatable {
  readonly entry: Pick<RecallableMemory, 'id' | 'lesson' | 'provenance'>;
}

/** Share of common words from which two conditions of the same action count as one. */
const SAME_CONDITION = 0.6;

/**
 * Groups the memories that say the same: the same discovery, action, steps and calls; the condition may name another task. Groups
 * and members keep their order, except that a verified memory comes first in its group. Values count, so that "use
 * version 18" never stands for "use version 20".
 */
export function groupRepeats<T extends Repeatable>(memories: readonly T[]): T[][] {
  const groups: T[][] = [];
  const byAction = new Map<string, T[][]>();
  for (const memory of memories) {
    const action = actionKey(memory.entry.lesson);
    const candidates = byAction.get(action) ?? [];
    byAction.set(action, candidates);
    const group = candidates.find(([first]) => first !== undefined && isSameCondition(first, memory));
    if (group) group.push(memory);
    else {
      const created = [memory];
      candidates.push(created);
      groups.push(created);
    }
  }
  return groups.map((group) => [...group.filter(isVerified), ...group.filter((memory) => !isVerified(memory))]);
}

const isVerified = ({ entry }: Repeatable): boolean => entry.provenance === 'verified';

/** Blanks and letter case do not count; punctuation does, since it is part of a command. */
function actionKey({ discovery, activation, steps, example }: RecallableMemory['lesson']): string {
  const calls = example ? [example.failed, ...example.between, ...(example.worked ? [example.worked] : [])] : [];
  const texts = [discovery, activation.action, ...steps, ...calls.map(({ tool, call }) => `${tool} ${call}`)];
  return JSON.stringify(texts.map((text) => text.toLowerCase().split(/\s+/).join(' ')));
}

function isSameCondition(a: Repeatable, b: Repeatable): boolean {
  const [x, y] = [conditionWords(a), conditionWords(b)];
  const common = [...x].filter((word) => y.has(word)).length;
  return x.size + y.size === 0 || common >= SAME_CONDITION * (x.size + y.size - common);
}

const conditionWords = ({ entry }: Repeatable): Set<string> =>
  new Set(wordsOf(withoutPlaceholders(entry.lesson.activation.condition)));
