import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { withoutPlaceholders } from './searchable-text.js';
import { wordsOf } from './words.js';

export interface Repeatable {
  readonly entry: Pick<RecallableMemory, 'id' | 'lesson' | 'provenance'>;
}

/** Share of common words from which two conditions of the same action count as one. */
const SAME_CONDITION = 0.6;

/**
 * Groups the memories that say the same: the same discovery, action, steps and calls; the condition may name another
 * task. Groups and members keep their order, except that a verified memory comes first in its group. Values count, so
 * that "use version 18" never stands for "use version 20".
 */
export function groupRepeats<T extends Repeatable>(memories: readonly T[]): T[][] {
  const groups: T[][] = [];
  // Most discoveries differ, so the longer texts are hardly ever compared.
  const byDiscovery = new Map<string, T[][]>();
  for (const memory of memories) {
    const discovery = oneSpelling(memory.entry.lesson.discovery);
    const candidates = byDiscovery.get(discovery) ?? [];
    byDiscovery.set(discovery, candidates);
    const group = candidates.find(([first]) => first !== undefined && isRepeat(first, memory));
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

/** Only blanks do not count: letter case and punctuation are part of a command. */
const oneSpelling = (text: string): string => text.split(/\s+/).join(' ');

const isRepeat = (a: Repeatable, b: Repeatable): boolean =>
  actionKey(a.entry.lesson) === actionKey(b.entry.lesson) && isSameCondition(a, b);

function actionKey({ activation, steps, example }: RecallableMemory['lesson']): string {
  const calls = example ? [example.failed, ...example.between, ...(example.worked ? [example.worked] : [])] : [];
  const texts = [activation.action, ...steps, ...calls.map(({ tool, call }) => `${tool} ${call}`)];
  return JSON.stringify(texts.map(oneSpelling));
}

function isSameCondition(a: Repeatable, b: Repeatable): boolean {
  const [x, y] = [conditionWords(a), conditionWords(b)];
  const common = [...x].filter((word) => y.has(word)).length;
  return x.size + y.size === 0 || common >= SAME_CONDITION * (x.size + y.size - common);
}

const conditionWords = ({ entry }: Repeatable): Set<string> =>
  new Set(wordsOf(withoutPlaceholders(entry.lesson.activation.condition)));
